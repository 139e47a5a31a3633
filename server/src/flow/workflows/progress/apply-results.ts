import { cancelStep, completeStep, failStep, type LoadedRun, type LoadedStep } from "./loaded-run.ts";

/** Applies the results of ended runs to their steps. Returns the completed ones. */
export function applyResults(loaded: LoadedRun): string[] {
  const completed: string[] = [];
  for (const [step_ref, step] of loaded.steps) {
    if (step.status !== "running" || !step.ended) continue;
    applyResult(loaded, step_ref, step, step.ended);
    if (step.ended.status === "completed") completed.push(step_ref);
  }
  return completed;
}

function applyResult(
  loaded: LoadedRun,
  step_ref: string,
  { child_workflow_run_id }: LoadedStep,
  ended: NonNullable<LoadedStep["ended"]>,
): void {
  if (ended.status === "completed") {
    completeStep(loaded, step_ref, ended.result, "its run completed");
    return;
  }
  // The workflow run is ending, and waits for the steps it has canceled.
  if (ended.status === "canceled" && loaded.run.planned_end) {
    cancelStep(loaded, step_ref, loaded.run.planned_end);
    return;
  }
  const message = ended.error?.message ?? `The run of the step ended as ${ended.status}.`;
  const isCanceled = ended.status === "canceled" && child_workflow_run_id === null;
  const code = isCanceled ? "run_canceled" : (ended.error?.code ?? ended.status);
  failStep(loaded, step_ref, { code, message }, `its run ended as ${ended.status}: ${message}`);
}
