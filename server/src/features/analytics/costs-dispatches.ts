import { type RawBuilder, sql } from "kysely";
import { firstClaim, priceOfDispatch } from "../../flow/dispatch-cost.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { bucketAt, DAY_SECS, finestOf } from "./costs-grains.ts";
import { RUN_FACTS, RUN_GROUPS } from "./costs-run-facts.ts";

/**
 * Dispatches of a job with the same outcome that began in one bucket and ended in another; or all of a group's on one
 * day.
 */
export type DispatchSum = {
  project_id: string;
  environment_id: string;
  job_id: string;
  kind: string;
  part: "named" | "none";
  name: string;
  value: string;
  to_status: string;
  cause: string;
  /** The bucket length in seconds, and the start of the buckets. */
  secs: number;
  at_s: number;
  began_s: number;
  dispatches: number;
  wall_ms: number;
  longest_ms: number;
  compute_microusd: number;
  reported_microusd: number;
  /** The part of their time in the bucket in which they began, and in the one in which they ended if that differs. */
  first_ms: number;
  last_ms: number;
};

export const ENDS_DISPATCH = sql`l.from_status = 'running'`;

/**
 * Sums up, inside the database, the cost of dispatches that ended with a transition in the log. Usage is reported under
 * the lease of its attempt, so it is complete once a transition ends the attempt.
 */
export async function sumDispatches(tx: Ctx & InTransaction, log: RawBuilder<unknown>): Promise<DispatchSum[]> {
  const { rows } = await sql<DispatchSum>`
    /* prepared */
    with ended as materialized (
      select l.project_id, l.run_id, l.ordinal, l.attempt, l.to_status, l.cause, l.created_at as ended_at
      from ${log} where ${ENDS_DISPATCH}
    ),
    booked as materialized (
      select t.*, r.*, w.workflow_id, took.wall_ms, price.compute_microusd, u.reported_microusd,
        ${finestOf(sql`t.ended_at`)} as secs, t.ended_at - took.wall_ms * interval '1 millisecond' as began_at
      from ended t ${RUN_FACTS} ${priceOfDispatch(firstClaim(sql`t.attempt`))}
      cross join lateral (
        select coalesce(sum(u.cost_microusd), 0) as reported_microusd from run_usage u
        where u.project_id = t.project_id and u.run_id = t.run_id and u.attempt = t.attempt offset 0
      ) u
    ),
    timed as (
      select b.*, ${bucketAt(sql`b.ended_at`, sql`b.secs`)} as at_s, ${bucketAt(sql`b.began_at`, sql`b.secs`)} as began_s
      from booked b
    ),
    alike as materialized (
      select b.project_id, b.environment_id, b.job_id, b.tags, b.concurrency_key, b.created_by, b.workflow_id, b.schedule_id,
        ${bucketAt(sql`b.ended_at`, DAY_SECS)} as at_s, ${SUMS}, min(b.run_id::text) as earliest
      from booked b group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    )
    select b.project_id, b.environment_id, b.job_id, 'job' as kind, 'named' as part, '' as name, '' as value, b.to_status,
      b.cause, b.secs, b.at_s, b.began_s, ${SUMS},
      sum((b.began_s + b.secs) * 1000 - ${msOf(sql`b.began_at`)})::bigint as first_ms,
      sum(${msOf(sql`b.ended_at`)} - b.at_s * 1000)::bigint as last_ms, '' as earliest
    from timed b group by b.project_id, b.environment_id, b.job_id, b.to_status, b.cause, b.secs, b.at_s, b.began_s
    union all
    select b.project_id, b.environment_id, b.job_id, g.kind, g.part, g.name, g.value, '', '', ${DAY_SECS},
      b.at_s, 0, sum(b.dispatches)::bigint, ${exact(sql`sum(b.wall_ms)`)}, max(b.longest_ms), ${exact(sql`sum(b.compute_microusd)`)},
      ${exact(sql`sum(b.reported_microusd)`)}, 0, 0, min(b.earliest)
    from alike b cross join lateral (${RUN_GROUPS}) g
    group by b.project_id, b.environment_id, b.job_id, g.kind, g.part, g.name, g.value, b.at_s
    order by earliest`.execute(tx.db);
  return rows;
}

function msOf(time: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`round(extract(epoch from ${time}) * 1000)`;
}

/** The largest exact number: a larger sum would be rounded. */
function exact(sum: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`least(${sum}, ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;
}

const SUMS = sql`count(*) as dispatches, ${exact(sql`sum(b.wall_ms)`)} as wall_ms, max(b.wall_ms) as longest_ms,
  ${exact(sql`sum(b.compute_microusd)`)} as compute_microusd, ${exact(sql`sum(b.reported_microusd)`)} as reported_microusd`;
