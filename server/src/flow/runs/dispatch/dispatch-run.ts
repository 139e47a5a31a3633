import { signRunToken } from "../../../platform/access/credentials/run-token.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { AbortHandle } from "../../../platform/outgoing/abort-handle.ts";
import { sendRequest } from "../../../platform/outgoing/send-request.ts";
import { signatureHeaders } from "../../../platform/secrets/sign.ts";
import { isSliceOver, runSyncOrInSlices, yieldToEventLoop } from "../../../platform/time-slices.ts";
import { traceHeaders } from "../../../platform/trace-context.ts";
import { contextOfAttempt } from "../../trace.ts";
import { readWaits } from "../../waits/find-trigger.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import { cachedVersion, decryptHeaders, findJobVersion, type JobVersion } from "../create/job-version.ts";
import { cachedSecrets, type DispatchSecrets, findSecrets } from "./dispatch-secrets.ts";
import { type Outcome, readFailure, readResponse } from "./outcome.ts";

/** Many runs may be claimed at once, and larger bodies take a while to sign. */
const SMALL_CHARACTERS = 16_384;
const MAX_BODY_BYTES = 4 * 1_048_576;
const NOT_DISPATCHED_SECS = 5;
const MAX_DISPATCHES = 10_000; // per run: more resumes than this are treated as a cycle

/** Makes one HTTP call to the job's endpoint and interprets the response. Holds nothing but a lease. Never rejects. */
export async function dispatchRun(ctx: Ctx, run: ClaimedRun, abortHandle: AbortHandle): Promise<Outcome> {
  try {
    const version =
      cachedVersion(ctx, run.job_version_id) ?? (await findJobVersion(ctx, run.project_id, run.job_version_id));
    const common = known.get(version) ?? (await commonHeaders(ctx, run.project_id, version));
    const secrets = cachedSecrets(ctx, run) ?? (await findSecrets(ctx, run));
    const waits = run.waits > 0 ? await readWaits(ctx, run) : "[]";
    while (run.payload.length > SMALL_CHARACTERS && isSliceOver()) await yieldToEventLoop();
    // Bytes from here on: they are signed twice and sent once.
    const body = Buffer.from(dispatchBody(run, variablesFor(ctx, version, secrets), waits));
    const refused = refuse(run, body.length);
    if (refused) return refused;
    const sent = await sendRequest(ctx.outgoing, {
      method: "POST",
      url: version.endpoint_url,
      headers: headersOf(ctx, run, common, secrets.signing, body),
      body,
      timeout_ms: run.timeout_secs * 1_000,
      abortHandle,
    });
    if (sent.kind !== "responded") return readFailure(sent);
    if (isSliceOver()) await yieldToEventLoop();
    const outcome = runSyncOrInSlices(readResponse(version, sent));
    return outcome instanceof Promise ? await outcome : outcome;
  } catch (error) {
    return notDispatched(ctx, run, error);
  }
}

/**
 * The body of a dispatch for the worker that claimed the run, or why it cannot be executed. Variables are left out of
 * an answer that others could read. Never rejects, because that would lose the other runs of the claim.
 */
export async function bodyForWorker(ctx: Ctx, run: ClaimedRun, isSafe: boolean): Promise<string | Outcome> {
  try {
    const secrets = cachedSecrets(ctx, run) ?? (await findSecrets(ctx, run));
    const waits = run.waits > 0 ? await readWaits(ctx, run) : "[]";
    const body = dispatchBody(run, isSafe ? secrets.variables : "{}", waits);
    return refuse(run, Buffer.byteLength(body)) ?? body;
  } catch (error) {
    return notDispatched(ctx, run, error);
  }
}

/**
 * The version, secrets or waits could not be read, which is not the run's failure. Retried after a delay: the problem
 * may last.
 */
function notDispatched(ctx: Ctx, { run_id }: ClaimedRun, error: unknown): Outcome {
  ctx.log.warn({ run_id, reason: (error as Error).message }, "a run could not be dispatched");
  return { kind: "drained", delay_secs: NOT_DISPATCHED_SECS };
}

/** In production, variables are never sent over plain HTTP. */
function variablesFor(ctx: Ctx, { endpoint_url }: JobVersion, { variables }: DispatchSecrets): string {
  return ctx.config.mode === "serve" && endpoint_url.startsWith("http:") ? "{}" : variables;
}

function refuse(run: ClaimedRun, bytes: number): Outcome | undefined {
  if (run.attempt > MAX_DISPATCHES) {
    return failed("too_many_dispatches", `The run was dispatched ${MAX_DISPATCHES} times without ending.`);
  }
  if (bytes > MAX_BODY_BYTES) return failed("payload_too_large", "The dispatch body is larger than 4 MB.");
  return undefined;
}

function failed(code: string, message: string): Outcome {
  return { kind: "failed", retryable: false, error: { code, message } };
}

/** Alternating names and values, as undici expects them. */
function headersOf(ctx: Ctx, run: ClaimedRun, common: string[], secrets: string[], body: Buffer): string[] {
  const signed = signatureHeaders({ secrets, body, timestampSecs: Math.floor(ctx.watch.nowMs() / 1_000) });
  const headers = [...common, "X-Svc-Run-Id", run.run_id, "X-Svc-Job-Id", run.job_id];
  headers.push("X-Svc-Attempt", String(run.attempt), "X-Svc-Run-Token", signRunToken(ctx, run));
  const trace = traceHeaders(contextOfAttempt({ ...run, id: run.run_id }, run.attempt));
  headers.push("Idempotency-Key", run.run_id, "traceparent", trace.traceparent);
  if (trace.tracestate !== undefined) headers.push("tracestate", trace.tracestate);
  for (const name in signed) headers.push(name, signed[name] ?? "");
  return headers;
}

/** The headers common to every dispatch of a version. */
const known = new WeakMap<JobVersion, string[]>();

async function commonHeaders(ctx: Ctx, project_id: string, version: JobVersion): Promise<string[]> {
  const given = await decryptHeaders(ctx, project_id, version);
  const ofJob = given.filter(([name]) => name.toLowerCase() !== "user-agent");
  const headers = [...ofJob.flat(), "content-type", "application/json", "user-agent", "millrace"];
  known.set(version, headers);
  return headers;
}

/**
 * Builds the JSON of a dispatch as text: payload, metadata, tags and state are passed through as the database returned
 * them. `checkpoint` is the payload of the event that resumed the run, else the last state it saved.
 */
export function dispatchBody(run: ClaimedRun, env: string, waits = "[]"): string {
  const { project_id, run_id, job_id, job_slug, job_version_id, attempt, max_attempts, tries_used } = run;
  const workflow =
    run.workflow_run_id === null
      ? ""
      : `,"workflow_run_id":"${run.workflow_run_id}","step_ref":${JSON.stringify(run.step_ref)},"parent_outputs":${run.parent_outputs ?? "{}"}`;
  return (
    `{"run_id":"${run_id}","job_id":"${job_id}","job_slug":"${job_slug}","job_version_id":"${job_version_id}",` +
    `"project_id":"${project_id}","attempt":${attempt},"max_attempts":${max_attempts},"tries_used":${tries_used},` +
    `"payload":${run.payload},"metadata":${run.metadata},"tags":${run.tags},` +
    `"checkpoint":${run.checkpoint ?? run.state ?? "null"},"state":${run.state ?? "null"},"waits":${waits},"env":${env},` +
    `"scheduled_at":"${run.scheduled_at}","deadline":"${run.deadline}"${workflow}}`
  );
}
