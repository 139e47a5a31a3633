import type { AnyJob } from "../define-job.ts";
import type { Duration } from "../duration.ts";
import type { CreateWorkflow, StepInput } from "../generated/schemas.ts";
import type { StandardSchema } from "../standard-schema.ts";

export type WorkflowSettings = {
  /** Display name. Default: the id. */
  name?: string;
  description?: string;
  /** Timeout of the whole run, not counting paused time. */
  timeout?: Duration;
  /** Maximum number of steps that run at the same time. */
  maxParallelSteps?: number;
  /** Maximum number of runs at the same time. Further runs stay pending. */
  maxConcurrentRuns?: number;
  schedule?: { cron: string; tz?: string; overlap?: "allow" | "skip" | "cancel_running" };
  /** Job that is triggered when a run fails or times out. */
  onFailure?: string | AnyJob;
  /** Keys of events that cancel a run, with templates over its payload. */
  cancelOn?: string[];
  tags?: Record<string, string> | string[];
  environment?: string;
  enabled?: boolean;
  /** JSON Schema for validating triggers, instead of the one derived from `input`. Null: none. */
  payloadSchema?: Record<string, unknown> | null;
};

/** A workflow definition: its steps as the API accepts them. Pass it to `workflows.trigger`. */
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
  /** Type information only. */
  readonly "~types"?: { input: Input; outputs: Outputs } | undefined;
};

export type AnyWorkflow = Workflow<unknown, unknown>;
export type WorkflowInput<W> = W extends Workflow<infer Input, unknown> ? Input : unknown;
export type WorkflowOutputs<W> = W extends Workflow<unknown, infer Outputs> ? Outputs : Record<string, unknown>;

type OnFailure = "fail_workflow" | "skip_dependents" | "continue";

/** Values that templates can use: the payload of the run, and the outputs of the steps in `after`. */
export type Refs<Input, Outputs, After extends readonly (keyof Outputs)[]> = {
  payload: Input;
  out: Pick<Outputs, After[number]>;
};

export type StepOptions<After> = {
  /** Steps that must end before this one starts. */
  after?: After;
  onFailure?: OnFailure;
  /** CEL expression over `payload`, `parent_outputs` and `steps.<ref>.status`; false skips the step. */
  condition?: string;
};

export type ApprovalOutput = { approved: boolean; by: string; comment: string | null };
