import { type Sql, sql } from "../../../platform/database/sql.ts";
import { leadOf } from "../turns/next-turn.ts";

/**
 * The columns of a new run, for both statements that create runs. `placed` has the batch columns and those of the run
 * (`new-run-rows.ts`), and what the statement decides: `is_started`, `now`, `due_at`.
 */
export const INSERT_RUNS = sql`
      insert into runs (
        project_id, id, job_id, job_version_id, environment_id, status, prev_status, transition_count, derived_transitions, attempt, started_at,
        max_attempts, timeout_secs, priority, payload, metadata, tags, concurrency_key, idempotency_key, dedup_hash, batch_id,
        created_by, created_by_id, trigger_type, parent_run_id, spawn_depth, replay_of, schedule_id, workflow_run_id, step_ref,
        step_generation, parent_outputs, awaited_by, open_dependencies, traceparent, scheduled_at, created_at, updated_at)
      select project_id, id, job_id, job_version_id, environment_id,
        case when is_started then 'running' else 'pending' end, case when is_started then 'pending' end,
        1 + is_started::int, 1 + is_started::int, is_started::int, case when is_started then now end, max_attempts, timeout_secs,
        priority, payload, metadata, tags, concurrency_key, idempotency_key, decode(dedup_hash, 'hex'), batch_id, created_by,
        created_by_id, trigger_type, parent_run_id, spawn_depth, replay_of, schedule_id, workflow_run_id, step_ref,
        step_generation, parent_outputs, awaited_by, coalesce(open_dependencies, 0), traceparent, due_at, now, now`;

/** The columns of its queue row. `placed p` also has `interleave_at`, `blocked_on` and `slots`. */
export function insertQueueRows(
  lease: { columns: Sql; values: Sql },
  stop: { workflow_run_id: Sql; stopped: Sql },
): Sql {
  return sql`
      insert into run_queue (
        project_id, run_id, job_id, host, rank_at, interleave_at, turn_at, run_at, concurrency_key, blocked_on, debounce_key,
        expires_at, timeout_secs, heartbeat_timeout_secs, ${lease.columns}, deadline, workflow_run_id,
        stopped, slots)
      select p.project_id, id, job_id, host, ${RANK_AT}, interleave_at, interleave_at - ${LEAD}, due_at, concurrency_key,
        blocked_on, debounce_key, case when not is_started then due_at + run_ttl_secs * interval '1 second' end, timeout_secs,
        heartbeat_timeout_secs, ${lease.values}, ${DEADLINE}, ${stop.workflow_run_id}, ${stop.stopped}, slots`;
}

const LEAD = leadOf(sql`priority`);
export const RANK_AT = sql`greatest(due_at, now) - ${LEAD}`;
export const DEADLINE = sql`case when is_started then now + timeout_secs * interval '1 second' end`;
