import { sql } from "kysely";
import type { RunCtx } from "../platform/context.ts";
import { ApiError } from "../platform/errors.ts";
import { findLostRun, refuseLostRun } from "./fence.ts";
import type { LeasedRun, Outcome } from "./outcome.ts";
import { settleRuns } from "./settle-runs.ts";
import type { RunStatus } from "./states.ts";

type OwnEnd = Extract<Outcome, { kind: "completed" | "failed" }>;

/** The run says how it ended, and learns what became of it. Settled as the answer to its dispatch would be. */
export async function reportEnd(ctx: RunCtx, outcome: OwnEnd): Promise<RunStatus> {
  return (await tryReportEnd(ctx, outcome)) ?? refuseLostRun(ctx);
}

/** Renewals of one lease that an end may meet in a row. */
const MAX_TRIES = 20;

/**
 * Undefined: the run is no longer this attempt's, and nothing was changed. Settling finds nothing, too, when the lease
 * was renewed while it waited for the row: whether the run is lost is asked anew, and only then believed.
 */
export async function tryReportEnd(ctx: RunCtx, outcome: OwnEnd): Promise<RunStatus | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const run = await findLeasedRun(ctx);
    if (!run) return undefined;
    const [isSettled] = await settleRuns(ctx, [{ run, outcome }]);
    if (isSettled) return statusAfter(ctx);
  }
  throw new ApiError("conflict", "The run is renewing its lease too often to be ended. Send it again.");
}

/** One that goes back into the queue may be running again by now: that is another attempt's matter. */
async function statusAfter(ctx: RunCtx): Promise<RunStatus> {
  const { status, is_ended } = await findLostRun(ctx);
  return is_ended || status === "paused" ? status : "pending";
}

/** Read without a lock: settling compares attempt and lease token once more, when it writes. */
async function findLeasedRun(ctx: RunCtx): Promise<LeasedRun | undefined> {
  const { rows } = await sql<LeasedRun>`
    select q.project_id, q.run_id, r.job_version_id, r.attempt, q.lease_token, r.tries_used, r.crash_count,
      r.max_attempts, q.slots
    from run_queue q
    join runs r on r.project_id = q.project_id and r.id = q.run_id
    where q.project_id = ${ctx.project_id} and q.run_id = ${ctx.run_id} and q.lease_until is not null
      and left(encode(sha256(q.lease_token::text::bytea), 'hex'), 16) = ${ctx.ltk}
      and r.status = 'running' and r.attempt = ${ctx.attempt}`.execute(ctx.db);
  return rows[0];
}
