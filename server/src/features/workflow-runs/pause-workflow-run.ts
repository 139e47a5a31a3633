import type { Descendants } from "@millrace/contract/workflow-runs";
import { pauseWorkflowRun as pauseInFlow } from "../../flow/workflows/stop/pause-workflow-run.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import type { StoppedRow } from "./cancel-workflow-run.ts";
import { getWorkflowRun } from "./get-workflow-run.ts";
import { readDescendants } from "./read-descendants.ts";

export async function pauseWorkflowRun(ctx: ProjectCtx, id: string): Promise<StoppedRow> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  let descendants: Descendants | undefined;
  await pauseInFlow(ctx, { project_id, workflow_run_id }, actorOf(ctx.caller), async (tx, { status }) => {
    descendants = await readDescendants(tx, workflow_run_id);
    await auditWorkflowRun(tx, { action: "paused", workflow_run_id, before: { status }, after: { status: "paused" } });
  });
  descendants ??= await readDescendants(ctx, workflow_run_id);
  return { ...(await getWorkflowRun(ctx, workflow_run_id)), descendants };
}
