import { completeStep, failStep, type RunInHand, type StepInHand } from "./run-in-hand.ts";

/** Steps whose runs have ended come to what their runs came to. Answers those that completed. */
export function takeOverEnds(hand: RunInHand): string[] {
  const completed: string[] = [];
  for (const [step_ref, step] of hand.steps) {
    if (step.status !== "running" || !step.ended) continue;
    takeOver(hand, step_ref, step.ended);
    if (step.ended.status === "completed") completed.push(step_ref);
  }
  return completed;
}

function takeOver(hand: RunInHand, step_ref: string, ended: NonNullable<StepInHand["ended"]>): void {
  if (ended.status === "completed") {
    completeStep(hand, step_ref, ended.result, "its run completed");
    return;
  }
  const message = ended.error?.message ?? `The run of the step ended ${ended.status}.`;
  const code = ended.status === "canceled" ? "run_canceled" : (ended.error?.code ?? ended.status);
  failStep(hand, step_ref, { code, message }, `its run ended ${ended.status}: ${message}`);
}
