import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";

export type WorkflowRunRow = Omit<WorkflowRun, "$schema">;

/** Of `workflow_runs w`, without the payload, which may be large. */
export const WORKFLOW_RUN_OUTLINE = sql`w.id, w.project_id, w.workflow_id, w.version, w.version_id, w.environment_id,
  w.status, w.phase, w.tags, w.metadata, w.routing_key, w.idempotency_key, w.error_count, w.error, w.trigger_type,
  w.created_by, w.created_by_id, w.schedule_id, w.batch_id, w.parent_workflow_run_id, w.parent_step_ref,
  w.root_workflow_run_id, w.depth, w.timeout_secs, w.scheduled_at, w.started_at, w.deadline, w.paused_at,
  w.finished_at, w.created_at, w.updated_at`;

/** A workflow run as presented. */
export const WORKFLOW_RUN_COLUMNS = sql`${WORKFLOW_RUN_OUTLINE}, w.payload`;

export async function readWorkflowRun(
  ctx: Ctx,
  project_id: string,
  workflow_run_id: string,
): Promise<WorkflowRunRow | undefined> {
  const { rows } = await sql<WorkflowRunRow>`
    select ${WORKFLOW_RUN_COLUMNS} from workflow_runs w
    where w.project_id = ${project_id} and w.id = ${workflow_run_id}`.execute(ctx.db);
  return rows[0];
}
