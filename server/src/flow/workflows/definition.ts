/** A workflow as a version keeps it: every field of a step's type is there, null where it says nothing. */
export type WorkflowDefinition = {
  steps: StepDefinition[];
  timeout_secs: number | null;
  /** Bounds the steps that are `running`; those that only wait hold nothing. */
  max_parallel_steps: number | null;
};

export type StepDefinition = JobStep | WaitStep | SleepStep | ApprovalStep;
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
  /** JSON with templates, laid over the payload of the run. */
  payload: unknown;
  timeout_secs: number | null;
  max_attempts: number | null;
  priority: number | null;
  /** Template. */
  concurrency_key: string | null;
  /** Template; may also read `output`, the step's own. */
  event_emit_key: string | null;
  event_emit_buffer_secs: number;
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
  /** Who may decide: names of callers. Empty: whoever may write workflows. */
  approvers: string[];
  /** Template, shown to whoever decides. */
  message: string | null;
  timeout_secs: number;
};
