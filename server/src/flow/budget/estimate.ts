import { sql } from "kysely";

/**
 * What a run of the job `j` is expected to cost: what its definition says, what 95 of its last 100 runs (`c`, perhaps
 * none) did not pass, and a second of computing at the rate of its project `p`, whichever is most.
 */
export const ESTIMATE = sql`greatest(coalesce(j.estimated_cost_microusd, 0), coalesce(c.p95_microusd, 0),
  p.compute_rate_microusd_per_sec)`;
