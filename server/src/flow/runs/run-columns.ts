import type { Run } from "@millrace/contract/runs/runs";
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { EnqueuedRun, NewRun } from "./create/new-run.ts";

export type RunRow = Omit<Run, "$schema">;

/** A run as presented, of `runs r`. */
export const RUN_COLUMNS = sql`r.id, r.project_id, r.job_id, r.job_version_id, r.environment_id, r.status, r.attempt,
  r.tries_used, r.max_attempts, r.timeout_secs, r.priority, r.payload, r.metadata, r.tags, r.result, r.error,
  r.concurrency_key, r.idempotency_key, r.batch_id, r.created_by, r.created_by_id, r.trigger_type, r.parent_run_id, r.replay_of,
  r.replayed_by, r.schedule_id, r.workflow_run_id, r.step_ref, r.progress, r.pause_requested, r.cost_microusd, r.scheduled_at,
  r.started_at, r.finished_at, r.dead_lettered_at, r.replayed_at, r.created_at, r.updated_at`;

export async function readRun(ctx: Ctx, project_id: string, run_id: string): Promise<RunRow | undefined> {
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from runs r where r.project_id = ${project_id} and r.id = ${run_id}`.execute(ctx.db);
  return rows[0];
}

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
