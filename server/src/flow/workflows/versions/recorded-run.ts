import type { StepStatus, WorkflowRunStatus } from "../../runs/states.ts";
import {
  isRunnable,
  type RenderedStep,
  type StepCause,
  type StepDefinition,
  type StepError,
  type WorkflowDefinition,
} from "../plan/definition.ts";

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
function recordedDefinition({ definition }: RecordedRun, step_ref: string): StepDefinition | undefined {
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

/** The outcome of a step that is started in a replay. */
export type Outcome = {
  status: "completed" | "failed";
  output: unknown;
  error: StepError | null;
  duration_ms: number;
  cost_microusd: number;
  /** Without history: assumed to complete without output, in its usual time. */
  assumed: boolean;
  /**
   * It had not ended when the run did, so it ends after all others; `run`: the run was canceled or timed out then, and
   * the replay ends the same way.
   */
  late: "step" | "run" | null;
};

/** From the record of the step, if it contains an outcome. */
export function recordedOutcome(
  step: StepDefinition,
  rendered: RenderedStep,
  run: RecordedRun,
  medians: Medians,
): Outcome {
  const recorded = run.steps.get(step.step_ref);
  const usual = assume(step, rendered, medians);
  if (!recorded || recorded.type !== step.type) return usual;
  if (recorded.status === "canceled") return { ...usual, late: lateness(recorded) };
  if (!hasOutcome(recorded)) return usual;
  const { status, output, error, cost_microusd } = recorded;
  return {
    status: status === "failed" ? "failed" : "completed",
    output: status === "completed" ? output : null,
    error,
    duration_ms: isOtherSleep(step, run) ? usual.duration_ms : (durationOf(recorded) ?? 0),
    cost_microusd,
    assumed: false,
    late: null,
  };
}

function assume({ step_ref }: StepDefinition, rendered: RenderedStep, medians: Medians): Outcome {
  const usual = medians.get(step_ref);
  return {
    status: "completed",
    output: null,
    error: null,
    duration_ms: rendered.type === "sleep" ? rendered.secs * 1_000 : (usual?.duration_ms ?? 0),
    cost_microusd: isRunnable(rendered.type) ? (usual?.cost_microusd ?? 0) : 0,
    assumed: true,
    late: null,
  };
}

function lateness({ cause }: RecordedStep): Outcome["late"] {
  return cause === "workflow_canceled" || cause === "workflow_timed_out" ? "run" : "step";
}

/** A step that the planner itself failed or skipped has no recorded outcome. */
function hasOutcome({ status, error, dispatched }: RecordedStep): boolean {
  if (status === "completed") return true;
  return status === "failed" && (dispatched || !isPlanners(error?.code ?? ""));
}

function isPlanners(code: string): boolean {
  return code.startsWith("template_") || PLANNERS.has(code);
}

const PLANNERS: ReadonlySet<string> = new Set([
  "condition_failed",
  "invalid_concurrency_key",
  "invalid_duration",
  "invalid_event_key",
  "items_not_a_list",
  "too_many_items",
  "payload_too_large",
]);

/** It slept, but with another duration than now. */
function isOtherSleep(step: StepDefinition, run: RecordedRun): boolean {
  const before = recordedDefinition(run, step.step_ref);
  return step.type === "sleep" && before?.type === "sleep" && before.sleep_duration !== step.sleep_duration;
}
