import { signRunToken } from "../../../platform/access/credentials/run-token.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { AbortHandle } from "../../../platform/outgoing/abort-handle.ts";
import { sendRequest } from "../../../platform/outgoing/send-request.ts";
import { signatureHeaders } from "../../../platform/secrets/sign.ts";
import { atOnceOrInSlices, isSliceOver, yieldToEventLoop } from "../../../platform/time-slices.ts";
import { readWaits } from "../../waits/read-waits.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import { findJobVersion, type JobVersion, knownVersion } from "../create/job-version.ts";
import { dispatchBody } from "./dispatch-body.ts";
import { type DispatchSecrets, findSecrets, knownSecrets } from "./dispatch-secrets.ts";
import type { Outcome } from "./outcome.ts";
import { readFailure, readResponse } from "./read-response.ts";

/** Many runs may be claimed at once, and larger bodies take a while to sign. */
const SMALL_CHARACTERS = 16_384;
const MAX_BODY_BYTES = 4 * 1_048_576;
const NOT_DISPATCHED_SECS = 5;
const MAX_DISPATCHES = 10_000; // per run: more resumes than this are taken for a cycle

/** Makes one HTTP call to the job's endpoint and interprets the response. Holds nothing but a lease. Never rejects. */
export async function dispatchRun(ctx: Ctx, run: ClaimedRun, abortHandle: AbortHandle): Promise<Outcome> {
  try {
    const version =
      knownVersion(ctx, run.job_version_id) ?? (await findJobVersion(ctx, run.project_id, run.job_version_id));
    const secrets = knownSecrets(ctx, run) ?? (await findSecrets(ctx, run));
    const waits = run.waits > 0 ? await readWaits(ctx, run) : "[]";
    while (run.payload.length > SMALL_CHARACTERS && isSliceOver()) await yieldToEventLoop();
    // Bytes from here on: they are signed twice and sent once.
    const body = Buffer.from(dispatchBody(run, variablesFor(ctx, version, secrets), waits));
    const refused = refuse(run, body);
    if (refused) return refused;
    const sent = await sendRequest(ctx.outgoing, {
      method: "POST",
      url: version.endpoint_url,
      headers: headersOf(ctx, run, version, secrets.signing, body),
      body,
      timeout_ms: run.timeout_secs * 1_000,
      abortHandle,
    });
    if (sent.kind !== "responded") return readFailure(sent);
    await yieldToEventLoop();
    const outcome = atOnceOrInSlices(readResponse(version, sent));
    return outcome instanceof Promise ? await outcome : outcome;
  } catch (error) {
    // The version, secrets or waits could not be read, which is not the run's failure. Retried after a delay: the
    // problem may last.
    ctx.log.warn({ run_id: run.run_id, reason: (error as Error).message }, "a run could not be dispatched");
    return { kind: "drained", delay_secs: NOT_DISPATCHED_SECS };
  }
}

/** In production, variables are never sent over plain HTTP. */
function variablesFor(ctx: Ctx, { endpoint_url }: JobVersion, { variables }: DispatchSecrets): string {
  return ctx.config.mode === "serve" && endpoint_url.startsWith("http:") ? "{}" : variables;
}

function refuse(run: ClaimedRun, body: Buffer): Outcome | undefined {
  if (run.attempt > MAX_DISPATCHES) {
    return failed("too_many_dispatches", `The run was dispatched ${MAX_DISPATCHES} times without ending.`);
  }
  if (body.length > MAX_BODY_BYTES) return failed("payload_too_large", "The dispatch body is larger than 4 MB.");
  return undefined;
}

function failed(code: string, message: string): Outcome {
  return { kind: "failed", retryable: false, error: { code, message } };
}

/** Alternating names and values, as undici expects them. */
function headersOf(ctx: Ctx, run: ClaimedRun, version: JobVersion, secrets: string[], body: Buffer): string[] {
  const signed = signatureHeaders({ secrets, body, timestampSecs: Math.floor(ctx.watch.nowMs() / 1_000) });
  const headers = [...ownHeaders(version), "X-Svc-Run-Id", run.run_id, "X-Svc-Job-Id", run.job_id];
  headers.push("X-Svc-Attempt", String(run.attempt), "X-Svc-Run-Token", signRunToken(ctx, run));
  headers.push("Idempotency-Key", run.run_id, "traceparent", traceparent(run));
  for (const name in signed) headers.push(name, signed[name] ?? "");
  return headers;
}

/** The headers common to every dispatch of a version. */
const known = new WeakMap<JobVersion, string[]>();

function ownHeaders(version: JobVersion): string[] {
  const kept = known.get(version);
  if (kept) return kept;
  const ofJob = Object.entries(version.headers).filter(([name]) => name.toLowerCase() !== "user-agent");
  const headers = [...ofJob.flat(), "content-type", "application/json", "user-agent", "millrace"];
  known.set(version, headers);
  return headers;
}

/** One trace per run, one span per attempt. */
function traceparent({ run_id, attempt }: ClaimedRun): string {
  const trace = run_id.replaceAll("-", "");
  return `00-${trace}-${trace.slice(-12)}${attempt.toString(16).padStart(4, "0")}-01`;
}
