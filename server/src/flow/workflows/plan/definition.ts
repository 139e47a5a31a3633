import type { StepStatus } from "../../runs/states.ts";

/** A workflow as stored in a version: every field of a step's type is present, null if not set. */
export type WorkflowDefinition = {
  steps: StepDefinition[];
  timeout_secs: number | null;
  /** Limits `running` steps; waiting ones do not count. */
  max_parallel_steps: number | null;
};

export type StepDefinition = JobStep | WaitStep | SleepStep | ApprovalStep | MapStep | SubWorkflowStep;
export type StepType = StepDefinition["type"];
export type OnFailure = "fail_workflow" | "skip_dependents" | "continue";

type Step = {
  step_ref: string;
  depends_on: string[];
  on_failure: OnFailure;
  /** CEL over `payload`, `parent_outputs`, `steps.<ref>.status`. */
  condition: string | null;
};

export type JobStep = Step & {
  type: "job";
  job_id: string;
  /** JSON with templates, merged over the payload of the run. */
  payload: unknown;
  timeout_secs: number | null;
  max_attempts: number | null;
  priority: number | null;
  /** Template. */
  concurrency_key: string | null;
  /** Template; may also read `output`, the step's own. */
  event_emit_key: string | null;
  event_emit_buffer_secs: number;
  /** Compensates the step, once it has completed, if the run fails or is canceled. Old versions lack the field. */
  compensate_job_id?: string | null;
};

export type WaitStep = Step & {
  type: "wait_for_event";
  /** Template. */
  event_key: string;
  timeout_secs: number;
  notify_url: string | null;
};

/** `sleep_duration` as written, such as `1h30m`. */
export type SleepStep = Step & { type: "sleep"; sleep_duration: string };

export type ApprovalStep = Step & {
  type: "approval";
  /** Who may decide: names of callers. Empty: every caller who may write workflows. */
  approvers: string[];
  /** Template, shown to the approvers. */
  message: string | null;
  timeout_secs: number;
};

export type MapStep = Step & {
  type: "map";
  /** Template that renders to a list, or a list with templates. */
  items: unknown;
  /** Exactly one of the two is set. */
  job_id?: string;
  workflow_id?: string;
  /** JSON with templates, which may also read `item` and `index`. Null: both of them. */
  payload: unknown;
  max_parallel: number;
  /** How many items may fail; true: all. */
  tolerate_failures: boolean | number;
  compensate_job_id?: string | null;
};

export type SubWorkflowStep = Step & {
  type: "sub_workflow";
  workflow_id: string;
  /** JSON with templates, merged over the payload of the run. */
  payload: unknown;
  compensate_job_id?: string | null;
};

/** Step types that run rather than wait: `max_parallel_steps` limits them. */
export function isRunnable(type: StepType): boolean {
  return type === "job" || type === "map" || type === "sub_workflow";
}

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
  | { kind: "continue" }
  | { kind: "complete"; error_count: number }
  /** A step failed under `fail_workflow`. */
  | { kind: "fail"; step_ref: string; error: StepError; error_count: number };

export type GraphPlan = { steps: StepDecision[]; run: RunDecision };
