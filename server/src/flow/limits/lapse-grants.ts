import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { groupBy } from "../../platform/group-by.ts";
import { PULL_HOST } from "../runs/claim/pull-lanes.ts";
import { type Granted, wakeNext } from "./unblock-next.ts";

const PAGE = 500;
const UNCLAIMED_SECS = 15;
/** Of one project in one pass. The next pass finds what is left. */
const PAGES_PER_PROJECT = 20;

type Unserved = { project_id: string; job_id: string; host: string; reason: string };

/**
 * Slots that were granted to runs of workers which no longer claim, because they are gone or busy, go to the runs of
 * other jobs that wait for them. The runs without workers stay claimable, and request the limit when one comes. A pass
 * handles a limited number of pages per project: another project does not wait for a long queue without workers.
 */
export async function lapseGrants(ctx: Ctx, page = PAGE): Promise<void> {
  const { rows } = await sql<Unserved>`
    select distinct q.project_id, q.job_id, q.host, q.granted_by as reason from run_queue q
    where q.granted_by is not null and q.blocked_on is null and q.lease_until is null and q.stopped is null
      and starts_with(q.host, ${PULL_HOST}) and q.released_at < clock() - ${UNCLAIMED_SECS} * interval '1 second'
      and exists (
        select 1 from run_queue o
        where o.project_id = q.project_id and o.blocked_on = q.granted_by and o.blocked_on is not null
          and o.blocked_on <> 'not_due' and o.host <> q.host)
    limit ${PAGE}`.execute(ctx.db);
  for (const lanes of groupBy(rows, (lane) => lane.project_id).values()) await lapseSome(ctx, lanes, page);
}

/** Of one project: a page of each lane in turn. */
async function lapseSome(ctx: Ctx, lanes: readonly Unserved[], page: number): Promise<void> {
  const left = [...lanes];
  for (let pages = 0; pages < PAGES_PER_PROJECT; pages++) {
    const lane = left.shift();
    if (!lane) return;
    if ((await inTransaction(ctx, (tx) => lapsePage(tx, lane, page))) >= page) left.push(lane);
  }
}

/** With those that wait for the same limit: each would be granted the slot in turn. */
async function lapsePage(tx: Ctx & InTransaction, lane: Unserved, page: number): Promise<number> {
  const { project_id, job_id, host, reason } = lane;
  const { rows } = await sql<Granted>`
    with granted as materialized (
      select q.run_id, q.granted_by, q.kept, q.limits from run_queue q
      where q.project_id = ${project_id} and q.job_id = ${job_id} and q.granted_by is not null and q.granted_by = ${reason}
        and q.host = ${host} and q.blocked_on is null and q.lease_until is null and q.stopped is null
      order by q.rank_at, q.run_id limit ${page} for update skip locked
    ),
    blocked as materialized (
      select q.run_id, q.granted_by, q.kept, q.limits from run_queue q
      where q.project_id = ${project_id} and q.blocked_on = ${reason} and q.blocked_on is not null and q.blocked_on <> 'not_due'
        and q.host = ${host} and q.stopped is null
      order by q.rank_at, q.run_id limit ${page} for update skip locked
    ),
    page as materialized (select * from granted union all select * from blocked)
    update run_queue q set blocked_on = null, granted_by = null, kept = null
    from page p where q.project_id = ${project_id} and q.run_id = any(array(select run_id from page)) and q.run_id = p.run_id
    returning q.job_id, q.concurrency_key, p.granted_by, p.kept, p.limits`.execute(tx.db);
  await wakeNext(
    tx,
    rows.map((queued) => ({ project_id, queued })),
  );
  return rows.length;
}
