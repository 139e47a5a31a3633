import type { Actor } from "../../../platform/actor.ts";
import type { Ctx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { type Alongside, changeWorkflowRun } from "../change-workflow-run.ts";
import { refuseCompensating } from "../compensate/compensate-refuse.ts";
import type { WorkflowRunKey } from "../workflow-run-key.ts";
import { readOperatedSteps } from "./read-operated-steps.ts";
import { chooseSteps, resetSteps } from "./reset-steps.ts";

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
  return changeWorkflowRun(ctx, key, async (tx, run) => {
    refuseCompensating(run);
    const steps = await readOperatedSteps(tx, run);
    const refs = steps.filter(({ status }) => status === "failed").map(({ step_ref }) => step_ref);
    if (chooseSteps({ run, steps, refs }).length === 0) {
      throw new ApiError("nothing_to_retry", `No step of the workflow run has failed: it is ${run.status}.`);
    }
    await resetSteps(tx, { run, steps, refs, by, reason: `${by.name} retried the workflow run` });
    await alongside(tx, run);
    return true;
  });
}
