import { resumeWorkflowRun as resumeInFlow } from "../../flow/workflows/stop/resume-workflow-run.ts";
import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import { getWorkflowRun } from "./get-workflow-run.ts";

export async function resumeWorkflowRun(ctx: ProjectCtx, id: string): Promise<WorkflowRunRow> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  await resumeInFlow(ctx, { project_id, workflow_run_id }, actorOf(ctx.caller), (tx) =>
    auditWorkflowRun(tx, { action: "resumed", workflow_run_id, before: { status: "paused" } }),
  );
  return getWorkflowRun(ctx, workflow_run_id);
}
