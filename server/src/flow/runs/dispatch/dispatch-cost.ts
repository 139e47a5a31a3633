import { OUTCOMES } from "@millrace/contract/analytics/cost-fields";
import { type Sql, sql } from "../../../platform/database/sql.ts";

/**
 * A dispatch lasts from a claim to the following transition. This is its price, for a row `t(project_id, run_id,
 * ordinal, ended_at)` of that transition: wall time × the project's rate when it ended, rounded to whole micro-USD. The
 * cost of a run, a job or a month is the sum of these whole numbers, so sums agree in any grouping. Where `claimedAt` is
 * null, the claim is looked up in the log.
 */
export function priceOfDispatch({ claimedAt = sql`null`, rate = rateThen() } = {}): Sql {
  return sql`
    cross join lateral (
      select ${msBetween(sql`coalesce(${claimedAt}, ${claimIn(true)}, ${claimIn(false)})`, sql`t.ended_at`)} as wall_ms,
        ${rate} as rate
      offset 0
    ) took
    ${priceOf(sql`took.wall_ms`, sql`took.rate`)}`;
}

/** Whole milliseconds between two times: 0 if they are the wrong way round, or if one is missing. */
export function msBetween(from: Sql, to: Sql): Sql {
  return sql`greatest(0, round(extract(epoch from ${to} - ${from}) * 1000))::bigint`;
}

/** Below it, for time and rate, the product fits into 64 bits. Every run that ends is priced, and `numeric` is slow. */
const SMALL = sql.lit(2 ** 31);

/** The price of a column `wall_ms` at the rate in another. */
export function priceOf(wall_ms: Sql, rate: Sql): Sql {
  return sql`
    cross join lateral (
      select case when ${wall_ms} < ${SMALL} and ${rate} < ${SMALL} then (${wall_ms} * ${rate} + 500) / 1000
        else least(floor((${wall_ms}::numeric * ${rate} + 500) / 1000), ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint
        end as compute_microusd
    ) price`;
}

/** When the first attempt of the run `r` was claimed: one statement writes both. Null for later attempts. */
export function firstClaim(attempt: Sql): Sql {
  return sql`case when ${attempt} = 1 then r.started_at end`;
}

/** A claim is rarely more than a day old: only then are the partitions of other days read. */
function claimIn(isNear: boolean): Sql {
  const near = sql`and s.created_at >= t.ended_at - interval '25 hours' and s.created_at <= t.ended_at + interval '1 hour'`;
  return sql`(select s.created_at from run_history s
    where s.project_id = t.project_id and s.run_id = t.run_id and s.ordinal = t.ordinal - 1
      and s.to_status = 'running' ${isNear ? near : sql``})`;
}

/** The rate of the project of `t` when the dispatch ended. */
export function rateThen(): Sql {
  return sql`coalesce(
    (select h.compute_rate_microusd_per_sec from compute_rate_changes h
      where h.project_id = t.project_id and h.until > t.ended_at order by h.until limit 1),
    (select p.compute_rate_microusd_per_sec from projects p where p.id = t.project_id), 0)`;
}

export type DispatchOutcome = (typeof OUTCOMES)[number];

/** How a dispatch ended, for cost reports: a final status, or the cause of another attempt. */
export function outcomeOf({ to_status, cause }: { to_status: string; cause: string }): DispatchOutcome {
  if (to_status === "timed_out" && cause === "heartbeat_lost") return "silent";
  if (to_status !== "pending") return isOutcome(to_status) ? to_status : "drained";
  return RETRY_OUTCOMES[cause] ?? "drained";
}

const RETRY_OUTCOMES: Record<string, DispatchOutcome> = {
  retry: "retried",
  timeout: "retried_after_timeout",
  heartbeat_lost: "retried_after_silence",
  lease_lost: "retried_after_crash",
};

function isOutcome(name: string): name is DispatchOutcome {
  return (OUTCOMES as readonly string[]).includes(name);
}
