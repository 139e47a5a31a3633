import type { Ctx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { endedBy } from "../runs/stop/canceled-error.ts";
import type { TriggerEnd } from "../waits/end-triggers.ts";
import { type Alongside, changeWorkflowRun } from "../workflows/change-workflow-run.ts";
import { type OperatedStep, readOperatedSteps, requireStep } from "../workflows/operate/read-operated-steps.ts";
import { type Decider, refuseUnauthorized } from "../workflows/operate/refuse-unauthorized.ts";
import type { StepKey } from "../workflows/operate/retry-steps.ts";
import { recordDecisions } from "../workflows/workflow-run-changes.ts";
import { resolveTriggers } from "./resolve-triggers.ts";

export type Decision = Decider & { verdict: "approve" | "reject"; comment: string | null };

/**
 * Approves or rejects a waiting approval step: its wait ends as if by an event, and the step completes or fails in the
 * same transaction. Of concurrent decisions and the timer, one wins. False: there is no such workflow run.
 */
export function decideApproval<C extends Ctx>(
  ctx: C,
  key: StepKey,
  decision: Decision,
  alongside: Alongside<C>,
): Promise<boolean> {
  return changeWorkflowRun(ctx, key, async (tx, run) => {
    const step = requireStep(await readOperatedSteps(tx, run), key.step_ref);
    await refuseUnauthorized(tx, { ...run, step_ref: step.step_ref }, decision);
    // Its wait has ended with the cancel of an ancestor; the step follows.
    if (run.stopped) throw notWaiting({ ...step, status: "canceled" });
    if (step.type !== "approval" || step.status !== "waiting" || step.event_trigger_id === null) throw notWaiting(step);
    const trigger = { project_id: run.project_id, trigger_id: step.event_trigger_id };
    const ended = await resolveTriggers(tx, [trigger], endOf(decision));
    if (ended.length === 0) throw notWaiting(step);
    const { verdict: decision_type } = decision;
    await recordDecisions(tx, key, [
      { step_ref: step.step_ref, decision_type, reason: reasonOf(decision), by: decision.by },
    ]);
    await alongside(tx, run);
    return true;
  });
}

function notWaiting({ step_ref, type, status }: OperatedStep): ApiError {
  const is = type === "approval" ? `it is ${status}` : `it is of type ${type}`;
  return new ApiError("step_not_waiting", `The step ${step_ref} is not waiting for an approval: ${is}.`);
}

function endOf({ verdict, by, comment }: Decision): TriggerEnd {
  const { id: by_id, name } = by;
  if (verdict === "approve") {
    const payload = { approved: true, by: name, by_id, comment };
    return { status: "received", payload, sent_by: name, sent_by_id: by_id };
  }
  const message = comment === null ? `Rejected by ${name}.` : `Rejected by ${name}: ${comment}`;
  return { status: "canceled", error: endedBy(by, "rejected", message) };
}

function reasonOf({ verdict, by, comment }: Decision): string {
  const done = verdict === "approve" ? "approved" : "rejected";
  return comment === null ? `${by.name} ${done} it` : `${by.name} ${done} it: ${comment}`;
}
