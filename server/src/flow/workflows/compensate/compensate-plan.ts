import type { StepStatus } from "../../runs/states.ts";
import type { RenderedStep, StepDefinition, WorkflowDefinition } from "../plan/definition.ts";
import type { CompensationStatus, LoadedRun, LoadedStep } from "../progress/loaded-run.ts";

/** The fields of a step that decide its compensation. */
export type CompensableStep = {
  status: StepStatus;
  completion: number | null;
  compensation: { status: CompensationStatus } | null;
  /** For a map that did not complete: some of its items did, and are compensated. */
  hasCompletedItems?: boolean;
};

type CompensationPlan =
  /** Steps or a compensation are still running. */
  { kind: "wait" } | { kind: "start"; step_ref: string; job_id: string } | { kind: "done" };

/** What a compensating run does next. Pure. One compensation after another, the last completed step first. */
export function planCompensation(
  definition: WorkflowDefinition,
  steps: ReadonlyMap<string, CompensableStep>,
): CompensationPlan {
  for (const { status, compensation } of steps.values()) {
    if (status === "running" || compensation?.status === "running") return { kind: "wait" };
  }
  const [next] = listCompensations(definition, steps);
  return next ? { kind: "start", ...next } : { kind: "done" };
}

/** The remaining compensations, in execution order. */
export function listCompensations(
  definition: WorkflowDefinition,
  steps: ReadonlyMap<string, CompensableStep>,
): { step_ref: string; job_id: string }[] {
  return definition.steps
    .flatMap((step) => {
      const [job_id, state] = [compensationJob(step), steps.get(step.step_ref)];
      if (job_id === null || !state || !isUndoable(state)) return [];
      // An interrupted map has no completion: it counts as the latest.
      const completion = state.completion ?? (state.hasCompletedItems ? Number.MAX_SAFE_INTEGER : 0);
      return [{ step_ref: step.step_ref, job_id, completion }];
    })
    .toSorted((a, b) => b.completion - a.completion)
    .map(({ step_ref, job_id }) => ({ step_ref, job_id }));
}

/** A running step may complete before it can be canceled: it counts until it has ended. */
export function mayCompensate(definition: WorkflowDefinition, steps: ReadonlyMap<string, CompensableStep>): boolean {
  return definition.steps.some((step) => {
    if (compensationJob(step) === null) return false;
    const state = steps.get(step.step_ref);
    return state !== undefined && (state.status === "running" || isUndoable(state));
  });
}

/** It has effects that were not compensated yet. */
function isUndoable({ status, compensation, hasCompletedItems }: CompensableStep): boolean {
  return compensation === null && (status === "completed" || hasCompletedItems === true);
}

/** The job that compensates a step. Null: there is none. */
export function compensationJob(step: StepDefinition): string | null {
  return "compensate_job_id" in step ? (step.compensate_job_id ?? null) : null;
}

export function hasCompensations({ steps }: WorkflowDefinition): boolean {
  return steps.some((step) => compensationJob(step) !== null);
}

/** The input that a compensation of this step will get; stored when the step starts. */
export function storeInput(loaded: LoadedRun, step_ref: string, rendered: RenderedStep): void {
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
  const index = decisions.findLastIndex((each) => each.step_ref === step_ref && each.decision_type === "complete");
  return run.decisions + index + 1;
}
