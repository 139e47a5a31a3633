import { type RawBuilder, sql } from "kysely";
import { priceOfDispatch } from "../runs/dispatch/dispatch-cost.ts";
import { ENDS } from "./run-sums.ts";

const KEPT_RUNS = sql.lit(100);

/**
 * Stores what the last 100 runs of each job cost, from those that ended in `priced`: every dispatch of a run and all
 * that it reported. Older ones are not read. Runs that never started or were deleted do not count.
 */
export function keepJobCosts(): RawBuilder<unknown> {
  return sql`
    ended as materialized (
      select p.project_id, p.job_id, p.run_id, p.attempt, p.ended_at, p.cost_microusd, p.compute_microusd,
        row_number() over (partition by p.project_id, p.job_id order by p.position desc, p.ended_at desc) as nth
      from priced p
      where p.to_status in ${ENDS} and p.attempt > 0 and p.job_id is not null
    ),
    merged as materialized (
      select n.project_id, n.job_id, (coalesce(c.recent, '{}') || n.costs) as costs from (
        select g.project_id, g.job_id, array_agg(${costOf()} order by g.nth desc) as costs
        from ended g where g.nth <= ${KEPT_RUNS} group by g.project_id, g.job_id
      ) n left join lateral (
        select c.recent from job_costs c where c.project_id = n.project_id and c.job_id = n.job_id offset 0
      ) c on true
    ),
    newest as materialized (
      select project_id, job_id, costs[greatest(1, cardinality(costs) - ${KEPT_RUNS} + 1):] as recent from merged
    ),
    kept as (
      insert into job_costs (project_id, job_id, recent, p95_microusd, updated_at)
      select project_id, job_id, recent,
        (select percentile_disc(0.95) within group (order by cost) from unnest(recent) as cost), clock()
      from newest order by project_id, job_id
      on conflict (project_id, job_id) do update set recent = excluded.recent, p95_microusd = excluded.p95_microusd,
        updated_at = excluded.updated_at
    )`;
}

function costOf(): RawBuilder<unknown> {
  return sql`least(g.cost_microusd::numeric + case when g.attempt = 1 then g.compute_microusd else ${computeOfRun()} end,
    ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;
}

/** The compute cost of all dispatches of the run `g`; those of a run that waited longer than a month are left out. */
function computeOfRun(): RawBuilder<unknown> {
  return sql`(
    select coalesce(sum(price.compute_microusd), 0) from (
      select m.project_id, m.run_id, m.ordinal, m.created_at as ended_at from run_history m
      where m.project_id = g.project_id and m.run_id = g.run_id and m.from_status = 'running'
        and m.created_at > g.ended_at - interval '31 days' and m.created_at <= g.ended_at
    ) t ${priceOfDispatch()})`;
}
