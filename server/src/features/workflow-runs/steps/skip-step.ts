import type { SkipStep } from "@millrace/contract/step-runs";
import { skipStep as skipInFlow } from "../../../flow/workflows/operate/skip-step.ts";
import type { StepRunRow } from "../../../flow/workflows/step-run-columns.ts";
import { approverNames } from "../../../platform/access/approver-names.ts";
import { actorOf } from "../../../platform/actor.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { auditWorkflowRun } from "../audit-workflow-run.ts";
import { getStep } from "./get-step.ts";

export async function skipStep(ctx: ProjectCtx, id: string, ref: string, body: SkipStep): Promise<StepRunRow> {
  const { workflow_run_id, step_ref } = await getStep(ctx, id, ref);
  const reason = body.reason ?? null;
  const decider = { by: actorOf(ctx.caller), names: await approverNames(ctx) };
  const order = { project_id: ctx.project_id, workflow_run_id, step_ref, reason, ...decider };
  await skipInFlow(ctx, order, (tx, { status }) =>
    auditWorkflowRun(tx, { action: "step_skipped", workflow_run_id, before: { status }, after: { step_ref, reason } }),
  );
  return getStep(ctx, workflow_run_id, step_ref);
}
