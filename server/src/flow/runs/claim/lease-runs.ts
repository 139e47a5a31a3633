import { appendRunChanges } from "../../../platform/changelog/append-changes.ts";
import type { Ctx } from "../../../platform/context.ts";
import { violates } from "../../../platform/database/database-errors.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { claimedColumns } from "./claimed-run.ts";

export const LEASE_SECS = 30;

/** A worker that claims: it holds the lease, which no instance renews. Its first heartbeat extends it. */
export type WorkerLease = { worker_id: string; claim_id: string; lease_secs: number };

/**
 * What a worker claims. `isFirst`: the claim has no runs yet. It gets none if another instance has claimed for the same
 * request, and fails (`isClaimedElsewhere`) if one does so at the same time.
 */
export type WorkerClaim = WorkerLease & { isFirst: boolean };

/** The lease of a claimed queue row `q`: of this instance, or of a worker. `isOne` is true for one of the rows. */
export function leaseColumns(ctx: Ctx, token: string, worker: WorkerClaim | undefined, isOne: Sql): Sql {
  const deadline = sql`deadline = clock() + q.timeout_secs * interval '1 second'`;
  if (!worker)
    return sql`lease_until = clock() + ${LEASE_SECS} * interval '1 second', lease_token = ${token}::uuid,
        instance_id = ${ctx.instance_id}, ${deadline}`;
  return sql`lease_until = clock() + least(${worker.lease_secs}, q.timeout_secs) * interval '1 second',
        lease_token = ${token}::uuid, worker_id = ${worker.worker_id}, claim_id = ${worker.claim_id}::uuid, ${deadline},
        first_of_claim = ${worker.isFirst ? sql`case when ${isOne} then ${worker.claim_id}::uuid end` : sql`null`}`;
}

/** Another instance has claimed for the same request, at the same time. */
export function isClaimedElsewhere(error: unknown): boolean {
  return violates(error, "run_queue_first_of_claim_idx");
}

/** A request that waits here may have been repeated to another instance. */
export function hasNoClaim(project_id: string | undefined, { worker_id, claim_id }: WorkerLease): Sql {
  return sql`not exists (
        select 1 from run_queue c
        where c.project_id = ${project_id} and c.worker_id = ${worker_id} and c.worker_id is not null
          and c.claim_id = ${claim_id}::uuid
      )`;
}

/**
 * The second half of every claim: of the rows in `leased(project_id, run_id, host, deadline, slots)` the pending runs
 * become running, each with its transition, which is derived if it is the second. Looked up row by row (`offset 0` keeps
 * the planner from joining the whole table when its row estimate is far off), updated by key: a run changed since this
 * statement began has a new row version. The guard is a `case` for the planner's sake: with `status =` it expects next
 * to no rows, and picks a nested loop over all pairs.
 */
export function startLeased(token: string): Sql {
  return sql`
    found as materialized (
      select r.*, l.host, l.deadline, l.slots from leased l, lateral (
        select r.project_id, r.id from runs r
        where r.project_id = l.project_id and r.id = l.run_id and r.status = 'pending' offset 0
      ) r
    ),
    started as (
      update runs r set prev_status = r.status, status = 'running', transition_count = r.transition_count + 1, attempt = r.attempt + 1,
        started_at = coalesce(r.started_at, clock()), updated_at = clock(),
        derived_transitions = case when r.derived_transitions = 1 and r.transition_count = 1 then 2 else r.derived_transitions end
      from found f
      where r.project_id = f.project_id and r.id = f.id and case when r.status = 'pending' then true else false end
      returning r.project_id, r.id, r.transition_count, r.transition_count = r.derived_transitions as is_derived, r.updated_at, r.job_id,
        f.host, f.deadline, f.slots, ${claimedColumns("r")}
    ),
    logged as (
      insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
      select project_id, id, transition_count, 'pending', 'running', 'claimed', attempt, updated_at from started where not is_derived
    ),
    ${appendRunChanges(STARTED)},
    claimed as (
      select project_id, id as run_id, job_id, host, deadline, slots, ${claimedColumns("started")}, ${token}::uuid as lease_token
      from started
    )`;
}

const STARTED = sql`(
  select project_id, id as run_id, transition_count as ordinal, 'pending' as from_status, 'running' as to_status, 'claimed' as cause, attempt,
    updated_at as created_at
  from started
) s`;
