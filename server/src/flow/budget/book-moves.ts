import { sql } from "kysely";
import { type LogRange, runChanges } from "../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { firstClaim, priceOfDispatch } from "../dispatch-cost.ts";
import { bookUsage } from "./book-usage.ts";
import { keepJobCosts } from "./keep-job-costs.ts";
import { WANTED } from "./wanted-moves.ts";

/**
 * Books a range of the changelog: the usage of each month, and what the last runs of each job cost. Only
 * this task writes both, one pass after the other. Returns the projects of these transitions.
 */
export async function bookMoves(tx: Ctx & InTransaction, range: LogRange): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    /* prepared */
    with moved as materialized (
      select l.project_id, l.run_id, l.ordinal, l.from_status, l.to_status, l.attempt, l.position, l.created_at as ended_at
      from ${runChanges(range)} where ${WANTED}
    ),
    priced as materialized (
      select t.*, r.job_id, r.cost_microusd, coalesce(d.wall_ms, 0) as wall_ms,
        coalesce(d.compute_microusd, 0) as compute_microusd
      from moved t left join lateral (
        select r.job_id, r.cost_microusd, r.started_at from runs r
        where r.project_id = t.project_id and r.id = t.run_id offset 0
      ) r on true
      left join lateral (
        select took.wall_ms, price.compute_microusd from (select 1 where t.from_status = 'running') dispatch
        ${priceOfDispatch(firstClaim(sql`t.attempt`))}
      ) d on true
    ),
    ${bookUsage()},
    ${keepJobCosts()}
    select distinct project_id from booked`.execute(tx.db);
  return rows.map(({ project_id }) => project_id);
}
