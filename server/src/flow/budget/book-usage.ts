import { type RawBuilder, sql } from "kysely";

const COUNTS = {
  completed: sql`count(*) filter (where p.to_status = 'completed')`,
  failed: sql`count(*) filter (where p.to_status = 'failed')`,
  timed_out: sql`count(*) filter (where p.to_status = 'timed_out')`,
  canceled: sql`count(*) filter (where p.to_status = 'canceled')`,
  dispatches: sql`count(*) filter (where p.from_status = 'running')`,
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
 * Books the transitions in `priced` to the month in which they happened, and the usage reported by their dispatches to
 * the month of the report, as `booked`. Usage is reported under the lease of its dispatch, so all of it
 * has been stored when the dispatch's last transition is logged. Rows are written in key order, the global lock order.
 */
export function bookUsage(): RawBuilder<unknown> {
  const columns = sql.join(NAMES.map((name) => sql.ref(name)));
  const sums = NAMES.map(
    (name) => sql`${sql.ref(name)} = ${atMost(sql`u.${sql.ref(name)}::numeric + excluded.${sql.ref(name)}`)}`,
  );
  return sql`
    used as (
      select p.project_id, ${monthOf("p.ended_at")} as period_starts_at, ${list(COUNTS)}, ${zeros(REPORTS)}
      from priced p where p.from_status is not null group by 1, 2
      union all
      select p.project_id, ${monthOf("u.created_at")}, ${zeros(COUNTS)}, ${list(REPORTS)}
      from priced p cross join lateral (
        select u.created_at, u.cost_microusd, u.input_tokens, u.output_tokens from run_usage u
        where u.project_id = p.project_id and u.run_id = p.run_id and u.attempt = p.attempt offset 0
      ) u
      where p.has_usage and p.from_status = 'running' group by 1, 2
    ),
    booked as (
      insert into usage_periods as u (project_id, period_starts_at, ${columns}, updated_at)
      select project_id, period_starts_at, ${sql.join(NAMES.map((name) => atMost(sql`sum(${sql.ref(name)})`)))}, clock()
      from used group by 1, 2 order by 1, 2
      on conflict (project_id, period_starts_at) do update set ${sql.join(sums)}, updated_at = clock()
    )`;
}

function monthOf(column: string): RawBuilder<unknown> {
  return sql`date_trunc('month', ${sql.ref(column)}, 'UTC')::timestamptz(3)`;
}

function list(amounts: Record<string, RawBuilder<unknown>>): RawBuilder<unknown> {
  return sql.join(Object.entries(amounts).map(([name, amount]) => sql`${amount}::numeric as ${sql.ref(name)}`));
}

function zeros(amounts: Record<string, unknown>): RawBuilder<unknown> {
  return sql.join(Object.keys(amounts).map((name) => sql`0::numeric as ${sql.ref(name)}`));
}

/** Caps an amount at the largest integer that JavaScript represents exactly: a larger one would be rounded. */
function atMost(amount: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`least(${amount}, ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;
}
