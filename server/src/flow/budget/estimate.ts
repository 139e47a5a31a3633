import { sql } from "kysely";

/**
 * The expected cost of a run of the job `j`: the maximum of its definition's estimate, the 95th percentile of its last
 * 100 runs (`c`, perhaps none), and one second of compute at the rate of its project `p`.
 */
export const ESTIMATE = sql`greatest(coalesce(j.estimated_cost_microusd, 0), coalesce(c.p95_microusd, 0),
  p.compute_rate_microusd_per_sec)`;
