import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { NIL_ID } from "../reports/series.ts";
import { recount } from "./recount.ts";
import { type Tallies, tally } from "./tallies.ts";

type Counted = {
  project_id: string;
  environment_id: string;
  job_id: string | null;
  name: "created" | "received" | "timed_out" | "canceled" | "dispatched" | "rejected";
  minute: string;
  count: number;
};

/**
 * Waits for events and approvals, as they begin and end, and events received by sources. Counters only grow; purged
 * rows stay counted. After a purge, new rows in the same minute count only where they exceed the stored count.
 */
export async function recountEvents(ctx: Ctx): Promise<boolean> {
  await recount(ctx, { name: "recount-events", series: "events", open_secs: 0, canFall: false, count: countEvents });
  return false;
}

/** Beginnings are found by the order of the table, ends by a separate index. */
async function countEvents(tx: Ctx & InTransaction, from: string): Promise<Tallies> {
  const { rows } = await sql<Counted>`
    with found as (
      select t.project_id, t.environment_id, t.job_run_id, 'created' as name, t.created_at as at
      from event_triggers t where t.created_at >= ${from} and t.wait_kind in ('event', 'approval')
      union all
      select t.project_id, t.environment_id, t.job_run_id, t.status, t.finished_at
      from event_triggers t
      where t.finished_at >= ${from} and t.status <> 'waiting' and t.wait_kind in ('event', 'approval')
      union all
      select e.project_id, ${NIL_ID}::uuid, null, e.status, e.created_at
      from source_events e where e.created_at >= ${from}
    )
    select t.project_id, t.environment_id, r.job_id, t.name, date_trunc('minute', t.at) as minute, count(*)::int as count
    from found t
    left join lateral (
      select r.job_id from runs r where r.project_id = t.project_id and r.id = t.job_run_id offset 0
    ) r on true
    group by 1, 2, 3, 4, 5`.execute(tx.db);
  const tallies: Tallies = new Map();
  for (const { project_id, environment_id, job_id, name, minute, count } of rows) {
    const rollup = { project_id, series: "events", at_ms: Date.parse(minute), environment_id } as const;
    const amounts = { counts: { [name]: count } };
    tally(tallies, { ...rollup, split: "all", subject_id: NIL_ID }, amounts);
    if (job_id !== null) tally(tallies, { ...rollup, split: "job", subject_id: job_id }, amounts);
  }
  return tallies;
}
