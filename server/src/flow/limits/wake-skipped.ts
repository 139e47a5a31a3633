import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { type Lane, wakeLanes } from "../runs/claim/lanes.ts";
import type { LockedRun } from "../runs/lock-runs.ts";
import { UNBLOCKED } from "./unblock-next.ts";

/**
 * Call it after releasing the locks of queue rows that were left as they were: a claim or unblock that met a locked
 * row has skipped it, and would not come back to it soon.
 */
export async function wakeSkipped(ctx: Ctx, runs: readonly LockedRun[]): Promise<void> {
  const claimable = runs.filter(isClaimable).flatMap(({ queued }): Lane[] => (queued ? [queued] : []));
  wakeLanes(ctx, claimable);
  const blocked = runs.filter(({ queued }) => queued !== null && queued.blocked_on !== null);
  wakeLanes(ctx, await unblockAgain(ctx, blocked));
}

/**
 * Rows blocked on a limit are unblocked to try again; rows blocked on a pause or circuit only if it has
 * ended meanwhile. The timer handles the rest.
 */
async function unblockAgain(ctx: Ctx, [first, ...others]: LockedRun[]): Promise<Lane[]> {
  if (!first) return [];
  const run_ids = [first, ...others].map((run) => run.id);
  const { rows } = await sql<Lane & { blocked_on: string | null }>`
    with held as materialized (
      select q.run_id from run_queue q
      where q.project_id = ${first.project_id} and q.run_id = any(${run_ids}::uuid[]) and q.blocked_on is not null
      order by q.run_id for update
    )
    update run_queue q set ${UNBLOCKED}
    from held h
    where q.project_id = ${first.project_id} and q.run_id = h.run_id and case split_part(q.blocked_on, ':', 1)
      when 'job' then true
      when 'key' then true
      when 'rate' then true
      when 'queue' then true
      when 'queue_rate' then true
      when 'paused_queue' then not exists (
        select 1 from jobs j join queues k on k.project_id = j.project_id and k.name = j.queue
        where j.project_id = q.project_id and j.id = q.job_id and k.paused_at is not null)
      when 'paused_job' then not exists (
        select 1 from jobs j where j.project_id = q.project_id and j.id = q.job_id and j.paused_at is not null)
      when 'circuit' then not exists (
        select 1 from circuits c where c.project_id = q.project_id and c.host = q.host and c.status = 'open')
      else false end
    returning q.project_id, q.host, q.rank_at, q.blocked_on`.execute(ctx.db);
  return rows.filter((row) => row.blocked_on === null);
}

/** Queued: neither blocked nor claimed. */
function isClaimable({ queued }: LockedRun): boolean {
  return queued !== null && queued.blocked_on === null && !queued.is_leased;
}
