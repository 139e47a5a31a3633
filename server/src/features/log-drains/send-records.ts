import type { Ctx } from "../../platform/context.ts";
import type { AbortHandle } from "../../platform/outgoing/abort-handle.ts";
import { sendRequest } from "../../platform/outgoing/send-request.ts";
import type { Sent } from "../../platform/outgoing/sent.ts";
import { signatureHeaders } from "../../platform/secrets/sign.ts";
import { readSigningSecrets } from "../../platform/secrets/signing-secrets.ts";
import { REDACTED } from "../../platform/webhooks/subscription-headers.ts";
import type { DrainTarget } from "./claim-drains.ts";
import { decryptAuth } from "./credentials.ts";
import { TIMEOUT_MS } from "./drain-rules.ts";

/** The receiver's response. `unfit`: it rejects these records, but may accept others. */
export type DrainReceipt =
  | { kind: "taken"; status_code: number; duration_ms: number }
  | { kind: "unfit" | "failed"; status_code: number | null; error: string; duration_ms: number }
  | { kind: "stopped" };

export type Request = { content_type: string; body: Buffer };

const UNFIT = new Set([400, 413, 422]);
const MAX_RESPONSE_BYTES = 16_384;
const MAX_EXCERPT_LENGTH = 500;

/** One signed request with the drain's own credentials. */
export async function sendRecords(
  ctx: Ctx,
  drain: DrainTarget,
  { body, content_type }: Request,
  abortHandle?: AbortHandle,
): Promise<DrainReceipt> {
  const [auth, secrets] = await Promise.all([decryptAuth(ctx, drain), readSigningSecrets(ctx, drain.project_id)]);
  const timestampSecs = Math.floor(ctx.watch.nowMs() / 1_000);
  const headers = {
    ...auth,
    "content-type": content_type,
    "user-agent": "millrace",
    ...signatureHeaders({ secrets, body, timestampSecs }),
  };
  const request = { method: "POST", url: drain.url, headers, body, timeout_ms: TIMEOUT_MS } as const;
  const sent = await sendRequest(ctx.outgoing, {
    ...request,
    max_response_bytes: MAX_RESPONSE_BYTES,
    ...(abortHandle && { abortHandle }),
  });
  return readOutcome(sent, Object.values(auth));
}

function readOutcome(sent: Sent, secrets: readonly string[]): DrainReceipt {
  if (sent.kind === "failed") {
    if (sent.reason === "aborted") return { kind: "stopped" };
    return { kind: "failed", status_code: null, error: sent.message, duration_ms: sent.duration_ms };
  }
  const { status: status_code, duration_ms } = sent;
  if (status_code >= 200 && status_code < 300) return { kind: "taken", status_code, duration_ms };
  const detail = hide(sent.body.toString("utf8").replaceAll("\u0000", "\ufffd"), secrets)
    .slice(0, MAX_EXCERPT_LENGTH)
    .trim();
  const error = `The receiver responded with ${status_code}${detail === "" ? "." : `: ${detail}`}`;
  return { kind: UNFIT.has(status_code) ? "unfit" : "failed", status_code, error, duration_ms };
}

/** A receiver may echo the credentials: the whole header, or the part after its scheme. */
function hide(text: string, secrets: readonly string[]): string {
  const shown = secrets.flatMap((secret) => [secret, secret.split(" ").at(-1) ?? secret]);
  return shown.reduce((hidden, secret) => hidden.replaceAll(secret, REDACTED), text);
}
