import type { StepStatus } from "../../runs/states.ts";

/** Why a step was skipped or canceled. */
export type StepCause =
  /** Its own condition was false: counts as done for its dependents. */
  | "condition"
  /** A dependency failed under `skip_dependents`, or was skipped for that. */
  | "dependency"
  /** Skipped manually: counts as done for its dependents. */
  | "manual"
  | "step_failed"
  | "workflow_canceled"
  | "workflow_timed_out";

export type StepError = { code: string; message: string };

export type StepState = {
  status: StepStatus;
  cause: StepCause | null;
  /** For a step skipped for `dependency`: the failed step, however far upstream. */
  cause_ref: string | null;
  error: StepError | null;
};

/** A workflow run as the planner sees it. */
export type GraphState = {
  payload: unknown;
  /** Every step of the definition. */
  steps: ReadonlyMap<string, StepState>;
  /** Outputs of ended steps; must include those in `neededOutputs`. A step without output: null. */
  outputs: ReadonlyMap<string, unknown>;
};

/** A step with its templates rendered, ready to be started. */
export type RenderedStep =
  | {
      type: "job";
      payload: unknown;
      /** Of the steps named in `depends_on` or in a template. */
      parent_outputs: Record<string, unknown>;
      concurrency_key: string | null;
    }
  | { type: "wait_for_event"; event_key: string }
  | { type: "sleep"; secs: number }
  | { type: "approval"; message: string | null }
  /** `scope`: what the payload of its items reads in addition to the item. */
  | { type: "map"; items: unknown[]; scope: Record<string, unknown> }
  | { type: "sub_workflow"; payload: unknown };

export type StepDecision =
  | { kind: "start"; step_ref: string; rendered: RenderedStep; reason: string; condition: boolean | null }
  | { kind: "skip"; step_ref: string; cause: "condition" | "dependency"; cause_ref: string | null; reason: string }
  /** It cannot be started: a template, a key or the condition fails. Its on_failure applies. */
  | { kind: "fail"; step_ref: string; error: StepError; reason: string }
  /** Ready, but `max_parallel_steps` others run. */
  | { kind: "hold"; step_ref: string; reason: string };

export type RunDecision =
  | { kind: "go_on" }
  | { kind: "complete"; error_count: number }
  /** A step failed under `fail_workflow`. */
  | { kind: "fail"; step_ref: string; error: StepError; error_count: number };

export type GraphPlan = { steps: StepDecision[]; run: RunDecision };
