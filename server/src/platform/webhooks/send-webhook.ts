import type { Ctx } from "../context.ts";
import type { AbortHandle } from "../outgoing/abort-handle.ts";
import { sendRequest } from "../outgoing/send-request.ts";
import type { Sent } from "../outgoing/sent.ts";
import { signatureHeaders } from "../secrets/sign.ts";
import { readSigningSecrets } from "../secrets/signing-secrets.ts";
import { REDACTED } from "./subscription-headers.ts";

type Webhook = {
  project_id: string;
  /** `webhook-id`: the same for all attempts. */
  id: string;
  url: string;
  body: string;
  /** Headers that the subscription adds. */
  headers: Record<string, string>;
};

type Limits = { timeout_ms: number; abortHandle?: AbortHandle };

/** The exchange as it may be shown: without the subscription's secrets, bodies truncated. */
export type WebhookTrace = {
  request_headers: Record<string, string>;
  response_headers: Record<string, string> | null;
  response_body: string | null;
};

const MAX_RESPONSE_BYTES = 16_384; // only its beginning is shown
const MAX_BODY_LENGTH = 4_096;
const MAX_HEADER_LENGTH = 512;
const SECRET_ANSWERS = new Set(["set-cookie", "www-authenticate", "authorization"]);

/** One signed request to a receiver. Rejects only when the signing secrets cannot be read. */
export async function sendWebhook(
  ctx: Ctx,
  webhook: Webhook,
  limits: Limits,
): Promise<{ sent: Sent; trace: WebhookTrace }> {
  const secrets = await readSigningSecrets(ctx, webhook.project_id);
  const body = Buffer.from(webhook.body);
  const timestampSecs = Math.floor(ctx.watch.nowMs() / 1_000);
  const own = {
    "content-type": "application/json",
    "user-agent": "millrace",
    ...signatureHeaders({ secrets, body, timestampSecs, deliveryId: webhook.id }),
  };
  const sent = await sendRequest(ctx.outgoing, {
    method: "POST",
    url: webhook.url,
    headers: { ...webhook.headers, ...own },
    body,
    max_response_bytes: MAX_RESPONSE_BYTES,
    ...limits,
  });
  return { sent, trace: traceOf(webhook, own, sent) };
}

function traceOf({ headers }: Webhook, own: Record<string, string>, sent: Sent): WebhookTrace {
  const request_headers = { ...mapValues(headers, () => REDACTED), ...own };
  if (sent.kind === "failed") return { request_headers, response_headers: null, response_body: null };
  const secrets = Object.values(headers).filter((value) => value.length > 3);
  const hide = (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);
  const response_headers = mapValues(sent.headers, (value, name) =>
    SECRET_ANSWERS.has(name) ? REDACTED : hide(readable([value].flat().join(", "))).slice(0, MAX_HEADER_LENGTH),
  );
  return { request_headers, response_headers, response_body: truncate(hide(readable(sent.body.toString("utf8")))) };
}

/** Without characters that PostgreSQL cannot store. */
function readable(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}

function truncate(text: string): string {
  return text.slice(0, MAX_BODY_LENGTH).toWellFormed();
}

function mapValues<T, R>(values: Record<string, T>, change: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}
