import type { StepStatus, WorkflowRunStatus } from "../states.ts";
import type { StepDefinition, WorkflowDefinition } from "./definition.ts";
import type { StepCause, StepError } from "./graph-types.ts";

/** What became of a step in a run that has ended. Times are counted from the start of the run. */
export type RecordedStep = {
  type: string;
  status: StepStatus;
  output: unknown;
  error: StepError | null;
  cause: StepCause | null;
  /** A job run or a wait was opened for it: what came of it is an outcome, and no decision of the planner. */
  dispatched: boolean;
  started_ms: number | null;
  ended_ms: number | null;
  cost_microusd: number;
};

/** A workflow run that has ended, as history tells it. */
export type RecordedRun = {
  definition: WorkflowDefinition;
  payload: unknown;
  status: WorkflowRunStatus;
  steps: ReadonlyMap<string, RecordedStep>;
};

/** By step, what it usually takes and costs. A step that never completed is not in it. */
export type Medians = ReadonlyMap<string, { duration_ms: number; cost_microusd: number }>;

/** Null: it was not started, or has not ended. */
export function durationOf({ started_ms, ended_ms }: RecordedStep): number | null {
  return started_ms === null || ended_ms === null ? null : Math.max(ended_ms - started_ms, 0);
}

/**
 * How long a step stood ready before it was started: in line, held by a limit, or in a paused run. A replay that keeps
 * these times meets the ends in the order in which they came.
 */
export function lagOf({ definition, steps }: RecordedRun, step_ref: string): number {
  const started = steps.get(step_ref)?.started_ms ?? null;
  if (started === null) return 0;
  const ready =
    stepsOf(definition)
      .get(step_ref)
      ?.depends_on.map((ref) => steps.get(ref)?.ended_ms ?? 0) ?? [];
  return Math.max(started - Math.max(0, ...ready), 0);
}

/** Of the definition that the run had. */
export function recordedDefinition({ definition }: RecordedRun, step_ref: string): StepDefinition | undefined {
  return stepsOf(definition).get(step_ref);
}

const byRefs = new WeakMap<WorkflowDefinition, ReadonlyMap<string, StepDefinition>>();

function stepsOf(definition: WorkflowDefinition): ReadonlyMap<string, StepDefinition> {
  const known = byRefs.get(definition);
  if (known) return known;
  const byRef = new Map(definition.steps.map((step) => [step.step_ref, step]));
  byRefs.set(definition, byRef);
  return byRef;
}
