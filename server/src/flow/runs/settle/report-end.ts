import type { RunCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { LEASED_RUN, type LeasedRun, type Outcome } from "../dispatch/outcome.ts";
import type { RunStatus } from "../states.ts";
import { findLostRun, refuseLostRun } from "./fence.ts";
import { settleRuns } from "./settle-runs.ts";

type OwnEnd = Extract<Outcome, { kind: "completed" | "failed" }>;

/** Settles a run with the outcome that it reports, like a response to its dispatch. Returns the new status. */
export async function reportEnd(ctx: RunCtx, outcome: OwnEnd): Promise<RunStatus> {
  return (await tryReportEnd(ctx, outcome)) ?? refuseLostRun(ctx);
}

/** Retries when renewals of the lease interfere. */
const MAX_TRIES = 20;

/**
 * Undefined: the run no longer belongs to this attempt, and nothing was changed. Settling also finds nothing when the
 * lease was renewed while it waited for the row, so ownership is checked again before giving up.
 */
export async function tryReportEnd(ctx: RunCtx, outcome: OwnEnd): Promise<RunStatus | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const run = await findLeasedRun(ctx);
    if (!run) return undefined;
    const [isSettled] = await settleRuns(ctx, [{ run, outcome }]);
    if (isSettled) return statusAfter(ctx);
  }
  throw new ApiError("conflict", "The run keeps changing. Send the request again.");
}

/** A run that was queued again may be running by now: that is another attempt. */
async function statusAfter(ctx: RunCtx): Promise<RunStatus> {
  const { status, is_ended } = await findLostRun(ctx);
  return is_ended || status === "paused" ? status : "pending";
}

/** Read without a lock: settling compares attempt and lease token again when it writes. */
async function findLeasedRun(ctx: RunCtx): Promise<LeasedRun | undefined> {
  const { rows } = await sql<LeasedRun>`
    select ${LEASED_RUN}
    from run_queue q
    join runs r on r.project_id = q.project_id and r.id = q.run_id
    where q.project_id = ${ctx.project_id} and q.run_id = ${ctx.run_id} and q.lease_until is not null
      and left(encode(sha256(q.lease_token::text::bytea), 'hex'), 16) = ${ctx.ltk}
      and r.status = 'running' and r.attempt = ${ctx.attempt}`.execute(ctx.db);
  return rows[0];
}
