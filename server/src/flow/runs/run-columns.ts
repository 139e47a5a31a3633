import type { Run } from "@millrace/contract/runs";
import { sql } from "kysely";

export type RunRow = Omit<Run, "$schema">;

/** A run as presented, of `runs r`. */
export const RUN_COLUMNS = sql`r.id, r.project_id, r.job_id, r.job_version_id, r.environment_id, r.status, r.attempt,
  r.tries_used, r.max_attempts, r.timeout_secs, r.priority, r.payload, r.metadata, r.tags, r.result, r.error,
  r.concurrency_key, r.idempotency_key, r.batch_id, r.created_by, r.created_by_id, r.trigger_type, r.parent_run_id, r.replay_of,
  r.replayed_by, r.schedule_id, r.workflow_run_id, r.step_ref, r.progress, r.pause_requested, r.cost_microusd, r.scheduled_at,
  r.started_at, r.finished_at, r.dead_lettered_at, r.replayed_at, r.created_at, r.updated_at`;
