import type { SdkLogLine } from "@millrace/contract/runs/sdk-records";
import type { Results, ResultsBody, RunResult } from "@millrace/contract/workers/reports";
import { findJobVersion } from "../../flow/runs/create/job-version.ts";
import { type Outcome, resultOutcome } from "../../flow/runs/dispatch/outcome.ts";
import { rememberedLease } from "../../flow/runs/pull/handed-leases.ts";
import { readRunStates, settleForWorker } from "../../flow/runs/pull/settle-for-worker.ts";
import { appendLogs, lineIssues } from "../../flow/runs/settle/append-logs.ts";
import { recordUsages } from "../../flow/runs/settle/record-usage.ts";
import { ltkOf } from "../../platform/access/credentials/run-token.ts";
import type { ProjectCtx, RunCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { throwIssues } from "../../platform/errors/issues.ts";
import { logFailure } from "../../platform/logging/log-failure.ts";
import type { ClosableReply } from "../../platform/route.ts";
import { claimText } from "./claim-text.ts";

type Item = Results["results"][number];

/** Settles each result by itself. The claim comes after them, and its failure does not hide their outcomes. */
export async function reportResults(ctx: ProjectCtx, body: ResultsBody, reply: ClosableReply): Promise<string> {
  throwIssues(body.results.flatMap(errorIssues));
  const results = await settleAll(ctx, body.results);
  const settled = `"results":${JSON.stringify(results)}`;
  if (!body.claim) return `{${settled},"claim":null,"claim_error":null}`;
  try {
    return `{${settled},"claim":${await claimText(ctx, body.claim, 0, reply)},"claim_error":null}`;
  } catch (error) {
    const known = error instanceof ApiError;
    if (!known) logFailure(ctx, error, { worker_id: body.worker_id }, "a claim with results failed");
    const { code, message } = known ? error : { code: "internal_error", message: "The claim failed. Claim again." };
    return `{${settled},"claim":null,"claim_error":${JSON.stringify({ code, message })}}`;
  }
}

function errorIssues({ status, error }: RunResult, index: number) {
  if (status !== "failed" || error) return [];
  return [{ location: `body.results[${index}].error`, message: "is required with the status failed", value: null }];
}

async function settleAll(ctx: ProjectCtx, results: readonly RunResult[]): Promise<Item[]> {
  const versions = await versionsOf(
    ctx,
    results.filter(({ status }) => status === "completed"),
  );
  const settled = await Promise.all(
    results.map((result, index) =>
      isRepeated(results, index) ? "gone" : settleOne(ctx, result, versions.get(result.run_id)),
    ),
  );
  const unclear = results.filter((_, index) => settled[index] !== "completed");
  const after = await readRunStates(ctx, ctx.project_id, unclear);
  return results.map(({ run_id, logs = [] }, index): Item => {
    const rejected = logs.flatMap((line, at) => rejectedOf(`body.results[${index}].logs[${at}]`, line));
    const given = { run_id, rejected };
    if (settled[index] === "completed") return { ...given, outcome: "settled", status: "completed" };
    const { status = null, is_settled = false } = (after.get(run_id) ?? {}) as {
      status?: Item["status"];
      is_settled?: boolean;
    };
    if (settled[index] === "settled") return { ...given, outcome: "settled", status };
    return { ...given, outcome: is_settled ? "duplicate" : "lost", status: null };
  });
}

/** A lease has one result: the first of a request counts. */
function isRepeated(results: readonly RunResult[], index: number): boolean {
  const { run_id, attempt, lease_token } = results[index] as RunResult;
  const first = results.findIndex(
    (other) => other.run_id === run_id && other.attempt === attempt && other.lease_token === lease_token,
  );
  return first < index;
}

function rejectedOf(location: string, line: SdkLogLine): Item["rejected"] {
  return lineIssues(location, line).map(({ location, message }) => ({ location, message }));
}

/** `gone`: this attempt did not hold the run. */
async function settleOne(
  ctx: ProjectCtx,
  result: RunResult,
  version_id: string | undefined,
): Promise<"completed" | "settled" | "gone"> {
  const { run_id, attempt, lease_token } = result;
  if (result.logs?.length || result.usage?.length) await record(ctx, result);
  const outcome = await outcomeOf(ctx, result, version_id);
  const isSettled = await settleForWorker(ctx, { project_id: ctx.project_id, run_id, attempt, lease_token, outcome });
  if (!isSettled) return "gone";
  return outcome.kind === "completed" ? "completed" : "settled";
}

/**
 * Before the result, which ends the attempt. An attempt that has lost the run records nothing, and its outcome says so.
 * Lines that are not valid are left out: the result counts all the same.
 */
async function record(ctx: ProjectCtx, { run_id, attempt, lease_token, logs, usage }: RunResult): Promise<void> {
  const own: RunCtx = { ...ctx, run_id, attempt, ltk: ltkOf(lease_token) };
  const valid = (logs ?? []).filter((line) => lineIssues("body", line).length === 0);
  try {
    if (valid.length > 0) await appendLogs(own, { logs: valid });
    if (usage?.length) await recordUsages(own, usage);
  } catch (error) {
    if (!(error instanceof ApiError && LOST.has(error.code))) throw error;
  }
}

const LOST: ReadonlySet<string> = new Set(["not_found", "run_already_ended", "stale_attempt"]);

const UNKNOWN_JOB_SECS = 10;

async function outcomeOf(ctx: ProjectCtx, result: RunResult, version_id: string | undefined): Promise<Outcome> {
  const timed = typeof result.duration_ms === "number" ? { duration_ms: result.duration_ms } : {};
  const { error, retryable = true, retry_after_secs } = result;
  if (result.status === "unknown_job") return { kind: "drained", delay_secs: UNKNOWN_JOB_SECS };
  if (result.status === "failed") {
    const { code = "failed", message = "" } = error ?? {};
    const wait = typeof retry_after_secs === "number" ? { retry_after_secs } : {};
    return { kind: "failed", error: { code, message }, retryable, ...wait, ...timed };
  }
  if (version_id === undefined) return { kind: "completed", result_json: "null" };
  const version = await findJobVersion(ctx, ctx.project_id, version_id);
  return { ...resultOutcome(version, result.result), ...timed };
}

/** The job version of each run: it has the schema of the result. A run that does not exist has none. */
async function versionsOf(ctx: ProjectCtx, results: readonly RunResult[]): Promise<Map<string, string>> {
  const { project_id } = ctx;
  const versions = new Map<string, string>();
  const unknown: string[] = [];
  for (const { run_id, attempt, lease_token } of results) {
    const lease = rememberedLease(ctx, { project_id, run_id, attempt, lease_token });
    if (lease) versions.set(run_id, lease.job_version_id);
    else unknown.push(run_id);
  }
  for (const { id, job_version_id } of await readVersions(ctx, unknown)) versions.set(id, job_version_id);
  return versions;
}

async function readVersions(ctx: ProjectCtx, run_ids: string[]): Promise<{ id: string; job_version_id: string }[]> {
  if (run_ids.length === 0) return [];
  const { rows } = await sql<{ id: string; job_version_id: string }>`
    /* prepared */
    select r.id, r.job_version_id from unnest(${run_ids}::uuid[]) as g(id), lateral (
      select r.id, r.job_version_id from runs r where r.project_id = ${ctx.project_id} and r.id = g.id offset 0
    ) r`.execute(ctx.db);
  return rows;
}
