import type { RenderedStep } from "../plan/graph-types.ts";
import type { LoadedRun, LoadedStep } from "../progress/loaded-run.ts";
import { compensationJob } from "./compensate-plan.ts";

/** The input that a compensation of this step will get; stored when the step starts. */
export function keepInput(loaded: LoadedRun, step_ref: string, rendered: RenderedStep): void {
  const [definition, step] = [loaded.version.byRef.get(step_ref), loaded.steps.get(step_ref)];
  if (!definition || !step || compensationJob(definition) === null) return;
  step.input = inputOf(rendered);
}

function inputOf(rendered: RenderedStep): unknown {
  if ("payload" in rendered) return rendered.payload;
  return "items" in rendered ? rendered.items : null;
}

/** The columns stored for a later compensation of a step. Empty if it names none. */
export function compensationColumns(loaded: LoadedRun, step_ref: string, { was, status, input }: LoadedStep): object {
  const definition = loaded.version.byRef.get(step_ref);
  if (!definition || compensationJob(definition) === null) return {};
  const isCompleted = status === "completed" && was !== "completed";
  return {
    ...(input !== undefined && { has_input: true, input }),
    ...(isCompleted && { completion: completionOf(loaded, step_ref) }),
  };
}

/** The ordinal, among the run's decisions, of the one that completed it in this pass. */
export function completionOf({ run, decisions }: LoadedRun, step_ref: string): number {
  const nth = decisions.findLastIndex((each) => each.step_ref === step_ref && each.decision_type === "complete");
  return run.decisions + nth + 1;
}
