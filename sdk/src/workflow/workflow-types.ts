import type { AnyJob } from "../define-job.ts";
import type { Duration } from "../duration.ts";
import type { CreateWorkflow, StepInput } from "../generated/schemas.ts";
import type { StandardSchema } from "../standard-schema.ts";

export type WorkflowSettings = {
  /** Shown to people; the id unless said. */
  name?: string;
  description?: string;
  /** For the whole run; paused time does not count. */
  timeout?: Duration;
  /** Steps that run at the same time. */
  maxParallelSteps?: number;
  /** Runs at the same time; others wait. */
  maxConcurrentRuns?: number;
  schedule?: { cron: string; tz?: string; overlap?: "allow" | "skip" | "cancel_running" };
  /** Started when a run fails or times out. */
  onFailure?: string | AnyJob;
  /** Keys of events that cancel a run, with templates over its payload. */
  cancelOn?: string[];
  tags?: Record<string, string> | string[];
  environment?: string;
  enabled?: boolean;
  /** JSON Schema that the service checks triggers by, in place of the one that `input` prints. Null: none. */
  payloadSchema?: Record<string, unknown> | null;
};

/** A workflow: its steps as the service takes them. Also the value to trigger it by. */
export type Workflow<Input = unknown, Outputs = unknown> = {
  readonly kind: "workflow";
  readonly id: string;
  readonly settings: WorkflowSettings;
  readonly input: StandardSchema<unknown, unknown> | undefined;
  readonly steps: readonly StepInput[];
  /** The body of `POST /v1/workflows`. */
  toJSON: () => CreateWorkflow;
  /** The graph as Mermaid text. */
  toMermaid: () => string;
  /** For the compiler alone. */
  readonly "~types"?: { input: Input; outputs: Outputs } | undefined;
};

export type AnyWorkflow = Workflow<unknown, unknown>;
export type WorkflowInput<W> = W extends Workflow<infer Input, unknown> ? Input : unknown;
export type WorkflowOutputs<W> = W extends Workflow<unknown, infer Outputs> ? Outputs : Record<string, unknown>;

type OnFailure = "fail_workflow" | "skip_dependents" | "continue";

/** What templates may read: the payload of the run, and the outputs of the steps in `after`. */
export type Refs<Input, Outputs, After extends readonly (keyof Outputs)[]> = {
  payload: Input;
  out: Pick<Outputs, After[number]>;
};

export type StepOptions<After> = {
  /** The steps that must have ended first. */
  after?: After;
  onFailure?: OnFailure;
  /** CEL over `payload`, `parent_outputs` and `steps.<ref>.status`; false skips the step. */
  condition?: string;
};

export type ApprovalOutput = { approved: boolean; by: string; comment: string | null };
