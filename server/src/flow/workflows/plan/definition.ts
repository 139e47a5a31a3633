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
export function isWork(type: StepType): boolean {
  return type === "job" || type === "map" || type === "sub_workflow";
}
