import type { Actor } from "../../../platform/actor.ts";
import type { Ctx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import type { StepStatus } from "../../runs/states.ts";
import { type Alongside, changeWorkflowRun } from "../change-workflow-run.ts";
import { refuseCompensating } from "../compensate/compensate-refuse.ts";
import type { WorkflowRunKey } from "../workflow-run-key.ts";
import { readOperatedSteps, requireStep } from "./read-operated-steps.ts";
import { resetSteps } from "./reset-steps.ts";

export type StepKey = WorkflowRunKey & { step_ref: string };

const ENDED: ReadonlySet<StepStatus> = new Set(["completed", "failed", "skipped", "canceled"]);

/**
 * Retries an ended step, with every step that was skipped or canceled because of it. False: there is no such workflow
 * run.
 */
export function retryStep<C extends Ctx>(ctx: C, key: StepKey, by: Actor, alongside: Alongside<C>): Promise<boolean> {
  return changeWorkflowRun(ctx, key, async (tx, run) => {
    refuseCompensating(run);
    const steps = await readOperatedSteps(tx, run);
    const step = requireStep(steps, key.step_ref);
    const { step_ref } = step;
    refuseOpenStep(step);
    await resetSteps(tx, {
      run,
      steps,
      refs: [step_ref],
      by,
      reason: `${by.name} retried the step ${step_ref}`,
    });
    await alongside(tx, run);
    return true;
  });
}

export function refuseOpenStep({ step_ref, status }: { step_ref: string; status: StepStatus }): void {
  if (ENDED.has(status)) return;
  throw new ApiError("step_not_ended", `The step ${step_ref} has not ended: it is ${status}.`);
}
