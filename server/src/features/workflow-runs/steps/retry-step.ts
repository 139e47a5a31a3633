import { retryStep as retryInFlow } from "../../../flow/workflows/operate/retry-steps.ts";
import type { StepRunRow } from "../../../flow/workflows/step-run-columns.ts";
import { actorOf } from "../../../platform/actor.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { auditWorkflowRun } from "../audit-workflow-run.ts";
import { getStep } from "./get-step.ts";

export async function retryStep(ctx: ProjectCtx, id: string, ref: string): Promise<StepRunRow> {
  const { workflow_run_id, step_ref } = await getStep(ctx, id, ref);
  const key = { project_id: ctx.project_id, workflow_run_id, step_ref };
  await retryInFlow(ctx, key, actorOf(ctx.caller), (tx, { status }) =>
    auditWorkflowRun(tx, { action: "step_retried", workflow_run_id, before: { status }, after: { step_ref } }),
  );
  return getStep(ctx, workflow_run_id, step_ref);
}
