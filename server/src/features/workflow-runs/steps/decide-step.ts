import type { DecideApproval } from "@millrace/contract/step-runs";
import { type Decision, decideApproval } from "../../../flow/events/decide-approval.ts";
import type { StepRunRow } from "../../../flow/workflows/step-run-columns.ts";
import { approverNames } from "../../../platform/access/approver-names.ts";
import { actorOf } from "../../../platform/actor.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { auditWorkflowRun } from "../audit-workflow-run.ts";
import { getStep } from "./get-step.ts";

type Place = { id: string; ref: string };

export async function decideStep(
  ctx: ProjectCtx,
  { id, ref }: Place,
  verdict: Decision["verdict"],
  body: DecideApproval,
): Promise<StepRunRow> {
  const { workflow_run_id, step_ref } = await getStep(ctx, id, ref);
  const comment = body.comment ?? null;
  const decision = { verdict, comment, by: actorOf(ctx.caller), names: await approverNames(ctx) };
  const action = verdict === "approve" ? "step_approved" : "step_rejected";
  await decideApproval(ctx, { project_id: ctx.project_id, workflow_run_id, step_ref }, decision, (tx) =>
    auditWorkflowRun(tx, { action, workflow_run_id, after: { step_ref, comment } }),
  );
  return getStep(ctx, workflow_run_id, step_ref);
}
