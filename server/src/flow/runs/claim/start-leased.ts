import { type RawBuilder, sql } from "kysely";
import { appendRunChanges } from "../../../platform/changelog/append-changes.ts";

/**
 * The second half of a claim, shared by both kinds: of the rows in `leased(project_id, run_id, host, deadline, slots)`
 * the pending runs become running, each with its transition, which is derived if it is the second. Looked up row by row (`offset 0` keeps the planner from
 * joining the whole table when its row estimate is far off), updated by key: a run changed since this statement began
 * has a new row version. The guard is a `case` for the planner's sake: with `status =` it expects next to no rows, and
 * picks a nested loop over all pairs.
 */
export function startLeased(token: string): RawBuilder<unknown> {
  return sql`
    found as materialized (
      select r.*, l.host, l.deadline, l.slots from leased l, lateral (
        select r.project_id, r.id from runs r
        where r.project_id = l.project_id and r.id = l.run_id and r.status = 'pending' offset 0
      ) r
    ),
    started as (
      update runs r set prev_status = r.status, status = 'running', moves = r.moves + 1, attempt = r.attempt + 1,
        started_at = coalesce(r.started_at, clock()), updated_at = clock(),
        derived_moves = case when r.derived_moves = 1 and r.moves = 1 then 2 else r.derived_moves end
      from found f
      where r.project_id = f.project_id and r.id = f.id and case r.status when 'pending' then true else false end
      returning r.project_id, r.id, r.moves, r.moves = r.derived_moves as is_derived, r.job_id, r.job_version_id, r.environment_id, r.attempt, r.tries_used,
        r.crash_count, r.max_attempts, r.timeout_secs, r.payload::text, r.metadata::text, r.tags::text,
        r.checkpoint::text, r.state::text, r.scheduled_at, r.workflow_run_id, r.step_ref,
        r.parent_outputs::text, r.waits, f.host, f.deadline, f.slots
    ),
    logged as (
      insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
      select project_id, id, moves, 'pending', 'running', 'claimed', attempt, clock() from started where not is_derived
    ),
    ${appendRunChanges(STARTED)},
    claimed as (
      select project_id, id as run_id, job_id, job_version_id, environment_id, host, attempt, tries_used, crash_count,
        max_attempts, timeout_secs, payload, metadata, tags, checkpoint, state, scheduled_at, deadline,
        workflow_run_id, step_ref, parent_outputs, waits, ${token}::uuid as lease_token, slots
      from started
    )`;
}

const STARTED = sql`(
  select project_id, id as run_id, moves as ordinal, 'pending' as from_status, 'running' as to_status, 'claimed' as cause, attempt
  from started
) s`;
