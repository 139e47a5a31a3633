import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { hasNoClaim, LEASE_SECS } from "../claim/lease-runs.ts";
import { PULL_HOST } from "../claim/pull-lanes.ts";
import type { Starts } from "./new-run.ts";

/** Expressions for a run that is created. */
type Row = { id: Sql; host: Sql; timeout_secs: Sql; is_started: Sql; now: Sql };

/**
 * Parts of the statement that creates runs: the lease of those that are created running. This instance holds it, or, in
 * lanes of workers, the poll that they are handed to.
 */
export function newLease(ctx: Ctx, { lease_token, worker }: Starts, row: Row) {
  const instance = sql`${ctx.instance_id}::uuid`;
  const when = (condition: Sql, value: Sql) => sql`case when ${condition} then ${value} end`;
  const lease = (secs: Sql) => sql`
        ${when(row.is_started, sql`${row.now} + ${secs} * interval '1 second'`)}, ${when(row.is_started, sql`${lease_token}::uuid`)}`;
  if (!worker)
    return {
      columns: sql`lease_until, lease_token, instance_id`,
      values: sql`${lease(sql`${LEASE_SECS}::int`)}, ${when(row.is_started, instance)}`,
    };
  const isPulled = isPulledFrom(row.host);
  const secs = sql`case when ${isPulled} then least(${worker.lease_secs}::int, ${row.timeout_secs}) else ${LEASE_SECS}::int end`;
  const isHanded = sql`${row.is_started} and ${isPulled}`;
  return {
    columns: sql`lease_until, lease_token, instance_id, worker_id, claim_id, first_of_claim`,
    values: sql`${lease(secs)}, ${when(sql`${row.is_started} and not ${isPulled}`, instance)},
        ${when(isHanded, sql`${worker.worker_id}::text`)}, ${when(isHanded, sql`${worker.claim_id}::uuid`)},
        ${when(sql`${isHanded} and ${row.id} = ${worker.first_id}::uuid`, sql`${worker.claim_id}::uuid`)}`,
  };
}

/** A condition for starting a run: the poll may have been repeated to another instance, and have runs from there. */
export function unlessClaimed({ worker }: Starts, host: Sql): Sql {
  return worker ? sql` and (not ${isPulledFrom(host)} or ${hasNoClaim(worker.project_id, worker)})` : sql``;
}

function isPulledFrom(host: Sql): Sql {
  return sql`starts_with(${host}, ${sql.lit(PULL_HOST)})`;
}
