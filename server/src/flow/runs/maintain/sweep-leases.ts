import { FIRST_LEASE_SECS } from "@millrace/contract/workers/claims";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { wakeLanes } from "../claim/lanes.ts";
import { LEASE_SECS } from "../claim/lease-runs.ts";
import { LEASED_RUN, type LeasedRun, type Outcome } from "../dispatch/outcome.ts";
import { settleRuns } from "../settle/settle-runs.ts";

const PAGE = 500;
/** The longest that a new instance waits for heartbeats of accepted runs. */
const MAX_RETURN_SECS = 60;

/** A lease has expired. */
export const HAS_EXPIRED_LEASES = sql`(
  select q.project_id from run_queue q where q.lease_until is not null and q.lease_until <= clock()
  order by q.lease_until limit 1) is not null`;

type ExpiredRun = LeasedRun & {
  is_accepted: boolean;
  is_of_worker: boolean;
  is_past_deadline: boolean;
  is_held_to_deadline: boolean;
};

/**
 * Rescues runs whose lease has expired: their instance died, or an accepted run or a worker sent no heartbeat. Read
 * without a lock; settling checks the expiry again, so a concurrent renewal wins. If the database's clock has jumped
 * ahead, leases are swept only after their holders have had the time to renew them. So are the leases of workers and
 * accepted runs by an instance that has just started: it may be the first one after an outage, in which nobody could
 * renew them. A lease that was granted since its start lasts as long anyway.
 */
export async function sweepLeases(ctx: Ctx): Promise<boolean> {
  await releaseOrphans(ctx);
  await ctx.watch.ping();
  const sinceJumpSecs = ctx.watch.sinceJumpMs() / 1_000;
  const { rows } = await sql<ExpiredRun>`
    select ${LEASED_RUN}, q.accepted_at is not null as is_accepted, q.worker_id is not null as is_of_worker,
      q.deadline <= clock() as is_past_deadline, q.lease_until >= q.deadline as is_held_to_deadline
    from run_queue q join runs r on r.project_id = q.project_id and r.id = q.run_id and r.status = 'running'
    where q.lease_until is not null and q.lease_until <= clock()
      and ${LEASE_SECS}::float8 <= ${sinceJumpSecs}::float8 and (q.accepted_at is null and q.worker_id is null
        or coalesce(q.heartbeat_timeout_secs, 0) <= ${sinceJumpSecs}::float8 and (
          (select i.started_at from instances i where i.id = ${ctx.instance_id} and i.started_at <= clock())
            > clock() - interval '1 second' * case when q.worker_id is not null then ${FIRST_LEASE_SECS}
              else least(q.heartbeat_timeout_secs, ${MAX_RETURN_SECS}) end) is not true)
    order by q.lease_until limit ${PAGE}`.execute(ctx.db);
  if (rows.length === 0) return false;
  const settled = await settleRuns(
    ctx,
    rows.map((run) => ({ run, outcome: outcomeOf(run), is_expired: true })),
  );
  ctx.log.warn({ runs: settled.filter(Boolean).length }, "leases expired; their runs were rescued");
  return rows.length === PAGE;
}

/** After an outage of the service, a passed deadline is no timeout: the worker could not report. */
function outcomeOf({ is_accepted, is_of_worker, is_past_deadline, is_held_to_deadline }: ExpiredRun): Outcome {
  if (is_of_worker) return is_held_to_deadline ? { kind: "timed_out" } : { kind: "worker_lost" };
  if (!is_accepted) return { kind: "lease_lost" };
  return is_past_deadline ? { kind: "timed_out" } : { kind: "heartbeat_lost" };
}

/**
 * Expires the leases of instances that are gone, and rescues their runs like those of any expired lease. Runs accepted
 * by their endpoint belong to no instance and continue there.
 */
export async function expireLeases(ctx: Ctx, instance_ids: readonly string[]): Promise<void> {
  const { rows } = await sql`
    with orphaned as materialized (
      select o.project_id, o.run_id from run_queue o
      where o.lease_until > clock() and o.instance_id = any(${[...instance_ids]}::uuid[])
      order by o.project_id, o.run_id for update skip locked
    )
    update run_queue q set lease_until = clock()
    from orphaned o where q.project_id = o.project_id and q.run_id = o.run_id
    returning q.project_id`.execute(ctx.db);
  if (rows.length > 0) while (await sweepLeases(ctx));
}

type Orphan = { project_id: string; run_id: string; status: string };

/**
 * An expired lease on a run that is not running cannot be settled by any instance, and would be read forever: a pending
 * run is queued again, the row of any other is removed.
 */
async function releaseOrphans(ctx: Ctx): Promise<void> {
  const { rows } = await sql<Orphan>`
    select q.project_id, q.run_id, r.status from run_queue q
    join runs r on r.project_id = q.project_id and r.id = q.run_id and r.status <> 'running'
    where q.lease_until is not null and q.lease_until <= clock()
    order by q.lease_until limit ${PAGE}`.execute(ctx.db);
  for (const orphan of rows) {
    if (orphan.status === "pending") await requeueOrphan(ctx, orphan);
    else await remove(ctx, orphan);
  }
  if (rows.length > 0) ctx.log.error({ runs: rows.length }, "released orphaned leases of runs that are not running");
}

async function requeueOrphan(ctx: Ctx, { project_id, run_id }: Orphan): Promise<void> {
  const { rows } = await sql<{ project_id: string; host: string; rank_at: string }>`
    update run_queue q set lease_until = null, lease_token = null, instance_id = null, worker_id = null, claim_id = null, accepted_at = null,
      deadline = null, slots = null
    from runs r
    where q.project_id = ${project_id} and q.run_id = ${run_id} and q.lease_until <= clock()
      and r.project_id = q.project_id and r.id = q.run_id and r.status = 'pending'
    returning q.project_id, q.host, q.rank_at`.execute(ctx.db);
  wakeLanes(ctx, rows);
}

async function remove(ctx: Ctx, { project_id, run_id }: Orphan): Promise<void> {
  await sql`
    delete from run_queue q using runs r
    where q.project_id = ${project_id} and q.run_id = ${run_id} and q.lease_until <= clock()
      and r.project_id = q.project_id and r.id = q.run_id and r.status not in ('pending', 'running')`.execute(ctx.db);
}
