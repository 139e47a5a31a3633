import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { discardRuns } from "../../runs/stop/dead-letters.ts";
import { type Alongside, changeWorkflowRun, refuseCompensating } from "../change-workflow-run.ts";
import { listUndoneItems } from "../map/delete-items.ts";
import type { LockedWorkflowRun } from "../progress/loaded-run.ts";
import { stopSteps } from "../stop/cancel-below.ts";
import { recordDecisions } from "../workflow-run-changes.ts";
import { type OperatedStep, readOperatedSteps, requireStep } from "./read-operated-steps.ts";
import { type Decider, refuseUnauthorized } from "./refuse-unauthorized.ts";
import { listDeadBelow, resetSteps } from "./reset-steps.ts";
import type { StepKey } from "./retry-steps.ts";

type SkipRequest = StepKey & Decider & { reason: string | null };

/**
 * Skips a step manually: it counts as done for its dependents. Its runs and waits are canceled; steps that were skipped
 * or canceled because of it are reset, and an ended workflow run is reopened. An approval step can be skipped only by
 * its approvers. False: there is no such workflow run.
 */
export function skipStep<C extends Ctx>(ctx: C, request: SkipRequest, alongside: Alongside<C>): Promise<boolean> {
  return changeWorkflowRun(ctx, request, async (tx, run) => {
    refuseCompensating(run);
    const steps = await readOperatedSteps(tx, run);
    const step = requireStep(steps, request.step_ref);
    await refuseUnauthorized(tx, { ...run, step_ref: step.step_ref }, request);
    if (step.status === "completed" || step.status === "skipped") {
      throw new ApiError("step_ended", `The step ${step.step_ref} is ${step.status}: there is nothing to skip.`);
    }
    const reason = request.reason ?? `${request.by.name} skipped the step ${step.step_ref}`;
    await writeSkip(tx, run, step);
    await stopSteps(tx, run, [step], reason);
    await discardDeadLetters(tx, run, step);
    await recordDecisions(tx, request, [{ step_ref: step.step_ref, decision_type: "skip", reason, by: request.by }]);
    // None of them is running: they had ended because of this one.
    const others = steps.filter((each) => each !== step);
    await resetSteps(tx, { run, steps: others, refs: [step.step_ref], by: request.by, reason });
    await alongside(tx, run);
    return true;
  });
}

/** They are obsolete: a replay of all dead letters must not repeat work that was skipped on purpose. */
async function discardDeadLetters(tx: Ctx & InTransaction, run: LockedWorkflowRun, step: OperatedStep): Promise<void> {
  const items = await listUndoneItems(tx, run, step.type === "map" ? [step.step_ref] : []);
  const below = await listDeadBelow(tx, run, [step]);
  await discardRuns(tx, run.project_id, [...(step.run_id === null ? [] : [step.run_id]), ...items, ...below]);
}

async function writeSkip(tx: Ctx & InTransaction, run: LockedWorkflowRun, step: OperatedStep): Promise<void> {
  await sql`
    update step_runs set prev_status = status, status = 'skipped', cause = 'manual', cause_ref = null, error = null,
      finished_at = clock(), updated_at = clock()
    where project_id = ${run.project_id} and workflow_run_id = ${run.id} and step_ref = ${step.step_ref}
      and status in ('pending', 'running', 'waiting', 'failed', 'canceled')`.execute(tx.db);
}
