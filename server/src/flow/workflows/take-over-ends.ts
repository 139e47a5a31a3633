import { cancelStep, completeStep, failStep, type RunInHand, type StepInHand } from "./run-in-hand.ts";

/** Steps whose runs have ended come to what their runs came to. Answers those that completed. */
export function takeOverEnds(hand: RunInHand): string[] {
  const completed: string[] = [];
  for (const [step_ref, step] of hand.steps) {
    if (step.status !== "running" || !step.ended) continue;
    takeOver(hand, step_ref, step, step.ended);
    if (step.ended.status === "completed") completed.push(step_ref);
  }
  return completed;
}

function takeOver(
  hand: RunInHand,
  step_ref: string,
  { child_workflow_run_id }: StepInHand,
  ended: NonNullable<StepInHand["ended"]>,
): void {
  if (ended.status === "completed") {
    completeStep(hand, step_ref, ended.result, "its run completed");
    return;
  }
  // The workflow run is to end, and waits for what it has canceled.
  if (ended.status === "canceled" && hand.run.planned_end) {
    cancelStep(hand, step_ref, hand.run.planned_end);
    return;
  }
  const message = ended.error?.message ?? `The run of the step ended ${ended.status}.`;
  const isCanceled = ended.status === "canceled" && child_workflow_run_id === null;
  const code = isCanceled ? "run_canceled" : (ended.error?.code ?? ended.status);
  failStep(hand, step_ref, { code, message }, `its run ended ${ended.status}: ${message}`);
}
