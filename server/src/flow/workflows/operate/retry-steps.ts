import type { Actor } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import type { StepStatus } from "../../runs/states.ts";
import { type Alongside, changeWorkflowRun, refuseCompensating } from "../change-workflow-run.ts";
import type { LockedWorkflowRun } from "../progress/loaded-run.ts";
import { findWorkflowVersion } from "../start/workflow-version.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";
import { subtreeOf } from "./choose-resets.ts";
import { type OperatedStep, readOperatedSteps, requireStep } from "./read-operated-steps.ts";
import { chooseSteps, type Reset, resetSteps } from "./reset-steps.ts";

export type StepKey = WorkflowRunKey & { step_ref: string };

/**
 * Retries an ended step, with every step that was skipped or canceled because of it. False: there is no such workflow
 * run.
 */
export function retryStep<C extends Ctx>(ctx: C, key: StepKey, by: Actor, alongside: Alongside<C>): Promise<boolean> {
  return resetChosen(ctx, key, by, alongside, (_tx, _run, steps) => {
    const step = requireStep(steps, key.step_ref);
    refuseOpenStep(step);
    return { refs: [step.step_ref], reason: `${by.name} retried the step ${step.step_ref}` };
  });
}

/**
 * Retries the failed steps of a workflow run, and those that were canceled when it ended; completed ones stay. False:
 * there is no such workflow run.
 */
export function retryFailedSteps<C extends Ctx>(
  ctx: C,
  key: WorkflowRunKey,
  by: Actor,
  alongside: Alongside<C>,
): Promise<boolean> {
  return resetChosen(ctx, key, by, alongside, (_tx, run, steps) => {
    const refs = steps.filter(({ status }) => status === "failed").map(({ step_ref }) => step_ref);
    if (chooseSteps({ run, steps, refs }).length === 0) {
      throw new ApiError("nothing_to_retry", `No step of the workflow run has failed: it is ${run.status}.`);
    }
    return { refs, reason: `${by.name} retried the workflow run` };
  });
}

/** Runs a step and all its dependents again, canceling those that run or wait. False: there is no such workflow run. */
export function replaySubtree<C extends Ctx>(
  ctx: C,
  key: StepKey,
  by: Actor,
  alongside: Alongside<C>,
): Promise<boolean> {
  return resetChosen(ctx, key, by, alongside, async (tx, run, steps) => {
    const { step_ref, status } = requireStep(steps, key.step_ref);
    if (status === "pending") throw new ApiError("step_not_started", `The step ${step_ref} has not started yet.`);
    const { definition } = await findWorkflowVersion(tx, run.project_id, run.version_id);
    const reason = `${by.name} replayed the step ${step_ref} and its dependents`;
    return { refs: subtreeOf(definition, step_ref), reason, isReplay: true };
  });
}

type Chosen = Pick<Reset, "refs" | "reason" | "isReplay">;

function resetChosen<C extends Ctx>(
  ctx: C,
  key: WorkflowRunKey,
  by: Actor,
  alongside: Alongside<C>,
  choose: (tx: C & InTransaction, run: LockedWorkflowRun, steps: OperatedStep[]) => Chosen | Promise<Chosen>,
): Promise<boolean> {
  return changeWorkflowRun(ctx, key, async (tx, run) => {
    refuseCompensating(run);
    const steps = await readOperatedSteps(tx, run);
    await resetSteps(tx, { run, steps, by, ...(await choose(tx, run, steps)) });
    await alongside(tx, run);
    return true;
  });
}

const ENDED: ReadonlySet<StepStatus> = new Set(["completed", "failed", "skipped", "canceled"]);

export function refuseOpenStep({ step_ref, status }: { step_ref: string; status: StepStatus }): void {
  if (ENDED.has(status)) return;
  throw new ApiError("step_not_ended", `The step ${step_ref} has not ended: it is ${status}.`);
}
