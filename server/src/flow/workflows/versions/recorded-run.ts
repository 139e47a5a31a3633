import type { StepStatus, WorkflowRunStatus } from "../../runs/states.ts";
import type { StepDefinition, WorkflowDefinition } from "../plan/definition.ts";
import type { StepCause, StepError } from "../plan/graph-types.ts";

/** The record of a step in an ended run. Times are counted from the start of the run. */
export type RecordedStep = {
  type: string;
  status: StepStatus;
  output: unknown;
  error: StepError | null;
  cause: StepCause | null;
  /** A job run or a wait was created for it: its result is an outcome, not a decision of the planner. */
  dispatched: boolean;
  started_ms: number | null;
  ended_ms: number | null;
  cost_microusd: number;
};

/** An ended workflow run, as recorded. */
export type RecordedRun = {
  definition: WorkflowDefinition;
  payload: unknown;
  status: WorkflowRunStatus;
  steps: ReadonlyMap<string, RecordedStep>;
};

/** By step, its usual duration and cost. Steps that never completed are missing. */
export type Medians = ReadonlyMap<string, { duration_ms: number; cost_microusd: number }>;

/** Null: it was not started, or has not ended. */
export function durationOf({ started_ms, ended_ms }: RecordedStep): number | null {
  return started_ms === null || ended_ms === null ? null : Math.max(ended_ms - started_ms, 0);
}

/**
 * How long a step was ready before it was started: queued, held by a limit, or in a paused run. A replay that keeps
 * these times reproduces the order of the ends.
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

/** Of the run's own definition. */
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
