import type { Run } from "@millrace/contract/runs";
import type { EnqueuedRun } from "./enqueue-runs.ts";
import type { NewRun } from "./new-run.ts";

/** A run as it was created, without reading it back. */
export function presentNewRun(run: NewRun, { created_at, scheduled_at, deadline }: Omit<EnqueuedRun, "id">): Run {
  const isRunning = deadline !== null;
  return {
    id: run.id,
    project_id: run.project_id,
    job_id: run.job_id,
    job_version_id: run.job_version_id,
    environment_id: run.environment_id,
    status: isRunning ? "running" : "pending",
    attempt: isRunning ? 1 : 0,
    tries_used: 0,
    max_attempts: run.max_attempts,
    timeout_secs: run.timeout_secs,
    priority: run.priority,
    payload: run.payload,
    metadata: run.metadata,
    tags: run.tags,
    result: null,
    error: null,
    concurrency_key: run.concurrency_key,
    idempotency_key: run.idempotency_key,
    batch_id: run.batch_id,
    created_by: run.created_by,
    created_by_id: run.created_by_id,
    trigger_type: run.trigger_type,
    parent_run_id: run.parent_run_id,
    replay_of: run.replay_of,
    replayed_by: null,
    schedule_id: run.schedule_id,
    workflow_run_id: run.workflow_run_id,
    step_ref: run.step_ref,
    progress: null,
    pause_requested: false,
    cost_microusd: 0,
    scheduled_at,
    started_at: isRunning ? created_at : null,
    finished_at: null,
    dead_lettered_at: null,
    replayed_at: null,
    created_at,
    updated_at: created_at,
  };
}
