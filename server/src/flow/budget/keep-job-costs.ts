import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { priceOfDispatch } from "../dispatch-cost.ts";
import type { PricedMove } from "./price-moves.ts";

const ENDS: ReadonlySet<string> = new Set(["completed", "failed", "timed_out", "canceled"]);
const KEPT_RUNS = 100;

/**
 * Keeps what the last 100 runs of each job cost: every dispatch of a run and all that it reported. One that never
 * started says nothing. Only this duty writes here, one turn after the other.
 */
export async function keepJobCosts(tx: Ctx & InTransaction, moves: readonly PricedMove[]): Promise<void> {
  const ended = moves.filter((move) => ENDS.has(move.to_status) && move.attempt > 0);
  if (ended.length === 0) return;
  const given = ended.map(({ project_id, run_id, attempt, created_at, compute_microusd }, nth) => {
    return { nth, project_id, run_id, attempt, ended_at: created_at, compute_microusd };
  });
  await sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(given)}::json) as g(
        nth int, project_id uuid, run_id uuid, attempt int, ended_at timestamptz(3), compute_microusd bigint)
    ),
    priced as materialized (
      select g.nth, g.project_id, r.job_id, least(r.cost_microusd::numeric
        + case when g.attempt = 1 then g.compute_microusd else ${computeOfRun()} end,
        ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint as microusd
      from given g, lateral (
        select r.job_id, r.cost_microusd from runs r where r.project_id = g.project_id and r.id = g.run_id offset 0
      ) r
    ),
    merged as materialized (
      select n.project_id, n.job_id, (coalesce(c.recent, '{}') || n.costs) as costs from (
        select project_id, job_id, array_agg(microusd order by nth) as costs from priced group by project_id, job_id
      ) n left join lateral (
        select c.recent from job_costs c where c.project_id = n.project_id and c.job_id = n.job_id offset 0
      ) c on true
    ),
    newest as materialized (
      select project_id, job_id, costs[greatest(1, cardinality(costs) - ${KEPT_RUNS - 1}):] as recent from merged
    )
    insert into job_costs (project_id, job_id, recent, p95_microusd, updated_at)
    select project_id, job_id, recent,
      (select percentile_disc(0.95) within group (order by cost) from unnest(recent) as cost), clock()
    from newest
    on conflict (project_id, job_id) do update set recent = excluded.recent, p95_microusd = excluded.p95_microusd,
      updated_at = excluded.updated_at`.execute(tx.db);
}

/** Of all dispatches of the run `g`; those of one that waited longer than a month are left out. */
function computeOfRun() {
  return sql`(
    select coalesce(sum(price.compute_microusd), 0) from (
      select m.project_id, m.run_id, m.ordinal, m.created_at as ended_at from run_transitions m
      where m.project_id = g.project_id and m.run_id = g.run_id and m.from_status = 'running'
        and m.created_at > g.ended_at - interval '31 days' and m.created_at <= g.ended_at
    ) t ${priceOfDispatch()})`;
}
