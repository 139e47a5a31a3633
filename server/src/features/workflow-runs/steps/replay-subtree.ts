import { replaySubtree as replayInFlow } from "../../../flow/workflows/operate/retry-steps.ts";
import type { StepRunRow } from "../../../flow/workflows/step-run-columns.ts";
import { actorOf } from "../../../platform/actor.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { auditWorkflowRun } from "../audit-workflow-run.ts";
import { getStep } from "./get-step.ts";

export async function replaySubtree(ctx: ProjectCtx, id: string, ref: string): Promise<StepRunRow> {
  const { workflow_run_id, step_ref } = await getStep(ctx, id, ref);
  const key = { project_id: ctx.project_id, workflow_run_id, step_ref };
  await replayInFlow(ctx, key, actorOf(ctx.caller), (tx, { status }) =>
    auditWorkflowRun(tx, { action: "subtree_replayed", workflow_run_id, before: { status }, after: { step_ref } }),
  );
  return getStep(ctx, workflow_run_id, step_ref);
}
