import type { Positions } from "../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { priceOfDispatch } from "../runs/dispatch/dispatch-cost.ts";
import { ENDS, pricedRange, type RunSum, selectRunSums } from "./run-sums.ts";

/** Runs that were deleted are recorded, but no longer have a job. */
type RecordedSum = Omit<RunSum, "job_id"> & { job_id: string | null };

/**
 * Reads the changes of runs in a range once. Records the usage of each month and what the last runs of each job cost;
 * only the pass that holds the cursor writes both. Returns the sums of the changes, and the projects in which runs or
 * dispatches ended.
 */
export async function recordRunCosts(
  tx: Ctx & InTransaction,
  range: Positions,
): Promise<{ sums: RunSum[]; projects: string[] }> {
  const { rows } = await sql<RecordedSum>`
    /* prepared */
    with ${pricedRange(range)}, ${sumUsage()}, ${updateJobCosts()}
    ${selectRunSums()}`.execute(tx.db);
  const ended = rows.filter(({ from_status }) => from_status !== null);
  return { sums: rows.filter(hasJob), projects: [...new Set(ended.map(({ project_id }) => project_id))] };
}

function hasJob(sum: RecordedSum): sum is RunSum {
  return sum.job_id !== null;
}

const COUNTS = {
  completed: countOf(sql`p.to_status = 'completed'`),
  failed: countOf(sql`p.to_status = 'failed'`),
  timed_out: countOf(sql`p.to_status = 'timed_out'`),
  canceled: countOf(sql`p.to_status = 'canceled'`),
  dispatches: countOf(sql`p.from_status = 'running'`),
  compute_ms: sql`sum(p.wall_ms)`,
  compute_microusd: sql`sum(p.compute_microusd)`,
};
const REPORTS = {
  reported_microusd: sql`sum(u.cost_microusd)`,
  input_tokens: sql`sum(coalesce(u.input_tokens, 0))`,
  output_tokens: sql`sum(coalesce(u.output_tokens, 0))`,
};
const NAMES = [...Object.keys(COUNTS), ...Object.keys(REPORTS)];

/**
Records the transitions in `priced` under the month in which they happened, and the usage reported by their dispatches to
 * the month of the report, as `recorded`. Usage is reported under the lease of its dispatch, so all of it
 * has been stored when the dispatch's last transition is logged. Rows are written in key order, the global lock order.
 */
function sumUsage(): Sql {
  const columns = sql.join(NAMES.map((name) => sql.ref(name)));
  const sums = NAMES.map(
    (name) => sql`${sql.ref(name)} = ${atMost(sql`u.${sql.ref(name)}::numeric + excluded.${sql.ref(name)}`)}`,
  );
  return sql`
    used as materialized (
      select p.project_id, ${monthOf("p.ended_at")} as period_starts_at, ${list(COUNTS)}, ${zeros(REPORTS)}
      from priced p where p.from_status is not null group by 1, 2
      union all
      select p.project_id, ${monthOf("u.created_at")}, ${zeros(COUNTS)}, ${list(REPORTS)}
      from priced p cross join lateral (
        select u.created_at, u.cost_microusd, u.input_tokens, u.output_tokens from run_usage u
        where u.project_id = p.project_id and u.run_id = any(p.run_ids) and u.attempt = p.attempt offset 0
      ) u
      where p.has_usage and p.from_status = 'running' group by 1, 2
    ),
    recorded as (
      insert into usage_periods as u (project_id, period_starts_at, ${columns}, updated_at)
      select project_id, period_starts_at, ${sql.join(NAMES.map((name) => atMost(sql`sum(${sql.ref(name)})`)))}, clock()
      from used group by 1, 2 order by 1, 2
      on conflict (project_id, period_starts_at) do update set ${sql.join(sums)}, updated_at = clock()
    )`;
}

function countOf(condition: Sql): Sql {
  return sql`coalesce(sum(p.count) filter (where ${condition}), 0)`;
}

function monthOf(column: string): Sql {
  return sql`date_trunc('month', ${sql.ref(column)}, 'UTC')::timestamptz(3)`;
}

function list(amounts: Record<string, Sql>): Sql {
  return sql.join(Object.entries(amounts).map(([name, amount]) => sql`${amount}::numeric as ${sql.ref(name)}`));
}

function zeros(amounts: Record<string, unknown>): Sql {
  return sql.join(Object.keys(amounts).map((name) => sql`0::numeric as ${sql.ref(name)}`));
}

/** Caps an amount at the largest integer that JavaScript represents exactly: a larger one would be rounded. */
function atMost(amount: Sql): Sql {
  return sql`least(${amount}, ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;
}

const KEPT_RUNS = sql.lit(100);

/**
 * Stores what the last 100 runs of each job cost, from those that ended in `priced`: every dispatch of a run and all
 * that it reported. Older ones are not read. Runs that never started or were deleted do not count.
 */
function updateJobCosts(): Sql {
  return sql`
    ended as materialized (
      select p.project_id, p.job_id, p.run_ids, p.from_status, p.attempt, p.position, p.ended_at, p.cost_microusd, p.computes,
        sum(p.count) over (partition by p.project_id, p.job_id order by p.position desc, p.ended_at desc
          rows between unbounded preceding and 1 preceding) as newer
      from priced p
      where p.to_status in ${ENDS} and p.attempt > 0 and p.job_id is not null
    ),
    merged as materialized (
      select n.project_id, n.job_id, (coalesce(c.recent, '{}') || n.costs) as costs from (
        select g.project_id, g.job_id, array_agg(${costOf()} order by g.position, g.ended_at) as costs
        from ended g cross join lateral unnest(g.computes) as dispatch(compute_microusd)
        where coalesce(g.newer, 0) < ${KEPT_RUNS} group by g.project_id, g.job_id
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

/** A run that did not end in its first dispatch has others in its history. */
function costOf(): Sql {
  return sql`least(g.cost_microusd::numeric
    + case when g.attempt = 1 and g.from_status = 'running' then dispatch.compute_microusd else ${computeOfRun()} end,
    ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;
}

/** The compute cost of all dispatches of the run `g`; those of a run that waited longer than a month are left out. */
function computeOfRun(): Sql {
  return sql`(
    select coalesce(sum(price.compute_microusd), 0) from (
      select m.project_id, m.run_id, m.ordinal, m.created_at as ended_at from run_history m
      where m.project_id = g.project_id and m.run_id = g.run_ids[1] and m.from_status = 'running'
        and m.created_at > g.ended_at - interval '31 days' and m.created_at <= g.ended_at
    ) t ${priceOfDispatch()})`;
}
