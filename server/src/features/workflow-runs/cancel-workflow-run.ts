import type { CancelWorkflowRun, Descendants } from "@millrace/contract/workflow-runs";
import { refuseEndedWorkflowRun } from "../../flow/workflows/change-workflow-run.ts";
import { cancelWorkflowRun as cancelInFlow } from "../../flow/workflows/stop/cancel-workflow-run.ts";
import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import { getWorkflowRun } from "./get-workflow-run.ts";
import { readDescendants } from "./read-descendants.ts";

export type StoppedRow = WorkflowRunRow & { descendants: Descendants };

/** Returns a run that is canceled or being canceled unchanged, and rejects one that ended otherwise. */
export async function cancelWorkflowRun(ctx: ProjectCtx, id: string, body: CancelWorkflowRun): Promise<StoppedRow> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  const reason = body.reason ?? null;
  const why = { cause: "canceled", reason, by: actorOf(ctx.caller) } as const;
  const after = { status: "canceled", reason };
  let descendants: Descendants | undefined;
  const { canceled, status } = await cancelInFlow(ctx, { project_id, workflow_run_id }, why, async (tx, before) => {
    descendants = await readDescendants(tx, workflow_run_id);
    await auditWorkflowRun(tx, { action: "canceled", workflow_run_id, before: { status: before.status }, after });
  });
  if (status === undefined) throw notFound("workflow run");
  if (!canceled && status !== "canceled") refuseEndedWorkflowRun({ status });
  descendants ??= await readDescendants(ctx, workflow_run_id);
  return { ...(await getWorkflowRun(ctx, workflow_run_id)), descendants };
}
