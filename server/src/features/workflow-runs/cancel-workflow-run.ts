import type { CancelWorkflowRun } from "@millrace/contract/workflow-runs";
import { cancelWorkflowRun as cancelInFlow } from "../../flow/workflows/cancel-workflow-run.ts";
import { refuseEndedWorkflowRun } from "../../flow/workflows/refuse-ended-workflow-run.ts";
import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import { getWorkflowRun } from "./get-workflow-run.ts";

export async function cancelWorkflowRun(ctx: ProjectCtx, id: string, body: CancelWorkflowRun): Promise<WorkflowRunRow> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  const reason = body.reason ?? null;
  const why = { cause: "canceled", reason, by: ctx.caller.name } as const;
  const after = { status: "canceled", reason };
  const { canceled, status } = await cancelInFlow(ctx, { project_id, workflow_run_id }, why, (tx, before) =>
    auditWorkflowRun(tx, { action: "canceled", workflow_run_id, before: { status: before.status }, after }),
  );
  if (status === undefined) throw notFound("workflow run");
  if (!canceled) refuseEndedWorkflowRun({ status });
  return getWorkflowRun(ctx, workflow_run_id);
}
