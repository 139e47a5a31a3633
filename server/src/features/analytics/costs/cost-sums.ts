import { type RawBuilder, sql } from "kysely";

/** Costs booked in a range. All amounts are whole micro-USD; a sum beyond the largest exact number is capped there. */
export type Costs = {
  total_microusd: number;
  reported_microusd: number;
  compute_microusd: number;
  wall_ms: number;
  dispatches: number;
  reports: number;
  input_tokens: number;
  output_tokens: number;
};

/** The sums of rows `c` of `cost_rollups`. */
export const COST_SUMS = sql`
  ${exactSum(sql`c.reported_microusd`, sql`c.compute_microusd`)} as total_microusd,
  ${exactSum(sql`c.reported_microusd`)} as reported_microusd, ${exactSum(sql`c.compute_microusd`)} as compute_microusd,
  ${exactSum(sql`c.wall_ms`)} as wall_ms, ${exactSum(sql`c.dispatches`)} as dispatches,
  ${exactSum(sql`c.reports`)} as reports, ${exactSum(sql`c.input_tokens`)} as input_tokens,
  ${exactSum(sql`c.output_tokens`)} as output_tokens`;

/** Sums one column, or several. Each is summed separately: adding them row by row takes twice as long. */
export function exactSum(...columns: RawBuilder<unknown>[]): RawBuilder<unknown> {
  const sums = columns.map((column) => sql`coalesce(sum(${column}), 0)`);
  return sql`least(${sql.join(sums, sql` + `)}, ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;
}
