import type { InTransaction, RunCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import type { RunStatus } from "../states.ts";

/** A run owned by the calling attempt until the transaction ends. */
export type LiveRun = { job_id: string; lease_token: string; deadline: string; pause_requested: boolean };

/**
 * Guards every write of a running job: locks the queue row of its run, or refuses with the reason. Every transaction
 * that takes the run from this attempt locks that row first, so the attempt writes nothing afterwards.
 */
export async function lockLiveRun(ctx: RunCtx & InTransaction): Promise<LiveRun> {
  return (await tryLockLiveRun(ctx)) ?? refuseLostRun(ctx);
}

/**
 * Undefined: the run no longer belongs to this attempt. A call counts as a heartbeat: it extends the lease of an
 * accepted run, never beyond its deadline. The lease token is new at every claim, so an attempt number from before a
 * database restore gives no access.
 */
export async function tryLockLiveRun(ctx: RunCtx & InTransaction): Promise<LiveRun | undefined> {
  const { rows } = await sql<LiveRun>`
    with live as materialized (
      select q.run_id, q.job_id, q.lease_token, q.deadline, q.accepted_at, r.pause_requested
      from run_queue q
      join runs r on r.project_id = q.project_id and r.id = q.run_id
      where q.project_id = ${ctx.project_id} and q.run_id = ${ctx.run_id} and q.lease_until is not null
        and left(encode(sha256(q.lease_token::text::bytea), 'hex'), 16) = ${ctx.ltk}
        and r.status = 'running' and r.attempt = ${ctx.attempt}
      for update of q
    ),
    extended as (
      update run_queue q
      set lease_until = least(clock() + q.heartbeat_timeout_secs * interval '1 second', q.deadline)
      from live
      where q.project_id = ${ctx.project_id} and q.run_id = live.run_id and live.accepted_at is not null
        and live.deadline > clock()
    )
    select job_id, lease_token, deadline, pause_requested from live`.execute(ctx.db);
  return rows[0];
}

export type LostRun = { status: RunStatus; attempt: number; is_ended: boolean };

/** What happened to a run that no longer belongs to this attempt. */
export async function findLostRun(ctx: RunCtx): Promise<LostRun> {
  const { rows } = await sql<LostRun>`
    select status, attempt, finished_at is not null as is_ended from runs
    where project_id = ${ctx.project_id} and id = ${ctx.run_id}`.execute(ctx.db);
  if (!rows[0]) throw notFound("run");
  return rows[0];
}

export async function refuseLostRun(ctx: RunCtx): Promise<never> {
  const { status, attempt, is_ended } = await findLostRun(ctx);
  if (is_ended) throw new ApiError("run_already_ended", `The run has ended: its status is ${status}.`);
  if (attempt > ctx.attempt) {
    throw new ApiError("stale_attempt", `This is attempt ${ctx.attempt}, and the run is at attempt ${attempt}.`);
  }
  throw new ApiError("stale_attempt", `Attempt ${ctx.attempt} no longer holds the run, which is ${status}.`);
}
