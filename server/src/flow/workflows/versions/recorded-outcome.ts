import { isWork, type StepDefinition } from "../plan/definition.ts";
import type { RenderedStep, StepError } from "../plan/graph-types.ts";
import { durationOf, type Medians, type RecordedRun, type RecordedStep, recordedDefinition } from "./recorded-run.ts";

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
    cost_microusd: isWork(rendered.type) ? (usual?.cost_microusd ?? 0) : 0,
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
