import { retryFailedSteps } from "../../flow/workflows/operate/retry-failed-steps.ts";
import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import { getWorkflowRun } from "./get-workflow-run.ts";

export async function retryWorkflowRun(ctx: ProjectCtx, id: string): Promise<WorkflowRunRow> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  await retryFailedSteps(ctx, { project_id, workflow_run_id }, actorOf(ctx.caller), (tx, { status }) =>
    auditWorkflowRun(tx, { action: "retried", workflow_run_id, before: { status } }),
  );
  return getWorkflowRun(ctx, workflow_run_id);
}
