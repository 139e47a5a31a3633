import { pauseWorkflowRun as pauseInFlow } from "../../flow/workflows/pause-workflow-run.ts";
import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import { getWorkflowRun } from "./get-workflow-run.ts";

export async function pauseWorkflowRun(ctx: ProjectCtx, id: string): Promise<WorkflowRunRow> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  await pauseInFlow(ctx, { project_id, workflow_run_id }, ctx.caller.name, (tx, { status }) =>
    auditWorkflowRun(tx, { action: "paused", workflow_run_id, before: { status }, after: { status: "paused" } }),
  );
  return getWorkflowRun(ctx, workflow_run_id);
}
