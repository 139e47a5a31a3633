import { setTimeout as pause } from "node:timers/promises";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { countRepairs } from "../../../platform/repairs.ts";
import { adoptLeased } from "../../limits/adopt-leased.ts";
import { lapseGrants } from "../../limits/lapse-grants.ts";
import { releaseStrandedRates } from "../../limits/release-rates.ts";
import { UNBLOCKED, unblockNext } from "../../limits/unblock-next.ts";
import { type Lane, wakeLanes } from "../claim/lanes.ts";
import { LEASE_SECS } from "../claim/lease-runs.ts";
import { queueRuns } from "../queue-run.ts";
import { listBatchStops, releaseBatchStops } from "../stop/release-batch-stops.ts";

const PAGE = 500;
const GRACE_SECS = 30;

/**
 * The queue's reconciliation: adopts runs that a new limit has missed, recounts counters, unblocks runs whose reason no
 * longer holds, and inserts missing queue rows. In a correct system it finds nothing; repairs are logged and counted.
 */
export async function reconcileQueue(ctx: Ctx): Promise<boolean> {
  await shortenLeases(ctx);
  await adoptStragglers(ctx);
  await lapseGrants(ctx);
  const recounted = await recountSlots(ctx);
  const unblocked = (await unblockStranded(ctx)) + (await releaseStrandedRates(ctx));
  const queued = await queueStranded(ctx);
  for (const project_id of await listBatchStops(ctx)) await releaseBatchStops(ctx, project_id);
  const repairs = { recounted, unblocked, queued };
  await countRepairs(ctx, repairs);
  if (recounted + unblocked + queued > 0) ctx.log.error(repairs, "the queue was inconsistent; repaired");
  return false;
}

/**
 * A lease of an instance that ends later than one taken now: the database's clock went back. Its holder renews it; if
 * there is none, it would stand still until the clock has caught up.
 */
async function shortenLeases(ctx: Ctx): Promise<void> {
  const { rows } = await sql`
    with future as materialized (
      select q.project_id, q.run_id from run_queue q
      where q.lease_until > clock() + 2 * ${LEASE_SECS} * interval '1 second' and q.accepted_at is null
        and q.worker_id is null
      order by q.project_id, q.run_id limit ${PAGE} for update skip locked
    )
    update run_queue q set lease_until = clock() + ${LEASE_SECS} * interval '1 second'
    from future f where q.project_id = f.project_id and q.run_id = f.run_id returning q.run_id`.execute(ctx.db);
  if (rows.length > 0) ctx.log.warn({ leases: rows.length }, "the database's clock went back; leases were shortened");
}

/**
 * Runs that were claimed while a concurrency limit was being set hold no slot of it. Not a repair: such a claim cannot
 * see the limit.
 */
async function adoptStragglers(ctx: Ctx): Promise<void> {
  const { rows } = await sql<{ project_id: string; job_id: string }>`
    select distinct q.project_id, q.job_id from run_queue q
    join jobs j on j.project_id = q.project_id and j.id = q.job_id
    left join queues k on k.project_id = j.project_id and k.name = j.queue
    where q.lease_until is not null and (
      (k.max_concurrency is not null and not coalesce(q.slots, '{}') @> array['queue:' || j.queue]) or
      (j.max_concurrency is not null and not coalesce(q.slots, '{}') @> array['job:' || q.job_id])
      or (j.max_concurrency_per_key is not null and q.concurrency_key is not null and not exists (
        select 1 from unnest(q.slots) as s where starts_with(s, 'key:' || q.job_id || ':'))))
    limit ${PAGE}`.execute(ctx.db);
  for (const { project_id, job_id } of rows) await inTransaction(ctx, (tx) => adoptLeased(tx, project_id, [job_id]));
}

/**
 * A counter equals the slots held by leases in the queue: recounted under its lock, which every claim and release
 * takes.
 */
async function recountSlots(ctx: Ctx): Promise<number> {
  const { rows } = await sql<{ project_id: string; key: string }>`
    with held as (
      select project_id, s as key, count(*)::int as active from run_queue, unnest(slots) as s
      where lease_until is not null and slots is not null group by project_id, s
    )
    select c.project_id, c.key from concurrency_counters c left join held h on h.project_id = c.project_id and h.key = c.key
    where c.active <> coalesce(h.active, 0) and c.key not like 'workflow:%' limit ${PAGE}`.execute(ctx.db);
  let wrong = 0;
  for (const { project_id, key } of rows) {
    if (await inTransaction(ctx, (tx) => recountOne(tx, project_id, key))) wrong++;
  }
  return wrong;
}

async function recountOne(tx: Ctx & InTransaction, project_id: string, key: string): Promise<boolean> {
  await sql`select 1 from concurrency_counters where project_id = ${project_id} and key = ${key} for update`.execute(
    tx.db,
  );
  const { rows } = await sql<{ freed: number }>`
    with held as (
      select count(*)::int as active from run_queue
      where project_id = ${project_id} and lease_until is not null and slots @> array[${key}::text]
    )
    update concurrency_counters c set active = h.active from held h, concurrency_counters old
    where c.project_id = ${project_id} and c.key = ${key} and c.active <> h.active
      and old.project_id = c.project_id and old.key = c.key
    returning old.active - c.active as freed`.execute(tx.db);
  const freed = rows[0]?.freed ?? 0;
  if (freed > 0) await unblockNext(tx, project_id, new Map([[key, freed]]));
  return rows.length > 0;
}

/**
 * A release does not wait for a waiting run that a claim has locked: that claim unblocks the next one itself, after its
 * commit. Until then the run looks stranded.
 */
const SETTLED_AFTER_MS = 1_000;

/**
 * Runs blocked on a counter with capacity, a closed circuit or a job that is not paused, now and a second later. Unblocked
 * runs about to be claimed already count against the capacity.
 */
async function unblockStranded(ctx: Ctx): Promise<number> {
  const { rows: found } = await sql<{ project_id: string; blocked_on: string }>`
    with ${stranded(sql`true`)}
    select project_id, blocked_on from stranded where room > 0 order by project_id limit ${PAGE}`.execute(ctx.db);
  if (found.length === 0) return 0;
  await pause(SETTLED_AFTER_MS);
  let unblocked = 0;
  for (const [project_id, some] of groupBy(found, (each) => each.project_id)) {
    const reasons = some.map(({ blocked_on }) => blocked_on);
    const lanes = await unblockReasons(ctx, project_id, reasons);
    wakeLanes(ctx, lanes);
    unblocked += lanes.length;
  }
  return unblocked;
}

async function unblockReasons(ctx: Ctx, project_id: string, reasons: readonly string[]): Promise<Lane[]> {
  const { rows } = await sql<Lane>`
    with ${stranded(sql`project_id = ${project_id} and blocked_on = any(${reasons}::text[])`)},
    next as materialized (
      select q.run_id from stranded s, lateral (
        select q.run_id from run_queue q
        where q.project_id = ${project_id} and q.blocked_on = s.blocked_on and q.blocked_on is not null
          and q.blocked_on <> 'not_due'
        order by q.rank_at, q.run_id limit greatest(0, s.room) for update skip locked
      ) q
    )
    update run_queue q set ${UNBLOCKED}
    where q.project_id = ${project_id} and q.run_id = any(array(select run_id from next))
    returning q.project_id, q.host, q.rank_at`.execute(ctx.db);
  return rows;
}

/** How much room each reason has that runs are blocked on. */
function stranded(among: Sql): Sql {
  return sql`
    reasons as materialized (
      select distinct project_id, blocked_on, job_id, host from run_queue
      where blocked_on is not null and blocked_on <> 'not_due' and ${among}
    ),
    stranded as materialized (
      select distinct r.project_id, r.blocked_on,
        case when r.blocked_on like 'queue:%' then coalesce(w.max_concurrency, ${PAGE}) - coalesce(c.active, 0) - ready.count
          when r.blocked_on like 'key:%' then coalesce(j.max_concurrency_per_key, ${PAGE}) - coalesce(c.active, 0) - ready.count
          when r.blocked_on like 'job:%' then coalesce(j.max_concurrency, ${PAGE}) - coalesce(c.active, 0) - ready.count
          else ${PAGE} end as room
      from reasons r
      join jobs j on j.project_id = r.project_id and j.id = r.job_id
      left join queues w on w.project_id = r.project_id and w.name = split_part(r.blocked_on, ':', 2)
      left join concurrency_counters c on c.project_id = r.project_id and c.key = r.blocked_on
      left join circuits k on k.project_id = r.project_id and k.host = r.host
      cross join lateral (
        select count(*)::int as count from run_queue q
        where q.project_id = r.project_id and q.granted_by is not null
          and (q.job_id = r.job_id or r.blocked_on like 'queue:%')
          and (q.granted_by = r.blocked_on or q.kept @> array[r.blocked_on])
      ) ready
      where (r.blocked_on like 'key:%' or r.blocked_on like 'job:%' or r.blocked_on like 'queue:%')
        or (r.blocked_on like 'paused!_queue:%' escape '!' and w.paused_at is null)
        or (r.blocked_on like 'paused_job:%' and j.paused_at is null)
        or (r.blocked_on like 'circuit:%' and k.status is distinct from 'open')
    )`;
}

/** A pending run without a queue row would never start. Recent ones are skipped: their transaction may be open. */
async function queueStranded(ctx: Ctx): Promise<number> {
  const { rows } = await sql<{ project_id: string; id: string }>`
    select t.project_id, t.run_id as id from run_history t
    join runs r on r.project_id = t.project_id and r.id = t.run_id and r.transition_count = t.ordinal and r.status = 'pending'
    where t.to_status = 'pending' and t.created_at > clock() - 3 * ${GRACE_SECS} * interval '1 second'
      and t.created_at < clock() - ${GRACE_SECS} * interval '1 second'
      and not exists (select 1 from run_queue q where q.project_id = t.project_id and q.run_id = t.run_id)
    limit ${PAGE}`.execute(ctx.db);
  for (const { project_id, id } of rows) {
    await inTransaction(ctx, (tx) => queueRuns(tx, [{ project_id, run_id: id }]));
  }
  return rows.length;
}
