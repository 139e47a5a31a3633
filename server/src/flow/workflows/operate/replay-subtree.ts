import type { Actor } from "../../../platform/actor.ts";
import type { Ctx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { type Alongside, changeWorkflowRun } from "../change-workflow-run.ts";
import { refuseCompensating } from "../compensate/compensate-refuse.ts";
import { findWorkflowVersion } from "../start/workflow-version.ts";
import { subtreeOf } from "./choose-resets.ts";
import { readOperatedSteps, requireStep } from "./read-operated-steps.ts";
import { resetSteps } from "./reset-steps.ts";
import type { StepKey } from "./retry-step.ts";

/** Runs a step and all its dependents again, canceling those that run or wait. False: there is no such workflow run. */
export function replaySubtree<C extends Ctx>(
  ctx: C,
  key: StepKey,
  by: Actor,
  alongside: Alongside<C>,
): Promise<boolean> {
  return changeWorkflowRun(ctx, key, async (tx, run) => {
    refuseCompensating(run);
    const steps = await readOperatedSteps(tx, run);
    const { step_ref, status } = requireStep(steps, key.step_ref);
    if (status === "pending") throw new ApiError("step_not_started", `The step ${step_ref} has not started yet.`);
    const { definition } = await findWorkflowVersion(tx, run.project_id, run.version_id);
    const refs = subtreeOf(definition, step_ref);
    const reason = `${by.name} replayed the step ${step_ref} and its dependents`;
    await resetSteps(tx, { run, steps, refs, by, reason, isReplay: true });
    await alongside(tx, run);
    return true;
  });
}
