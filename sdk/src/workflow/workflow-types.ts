import type { AnyJob } from "../define-job.ts";
import type { Duration } from "../duration.ts";
import type { CreateWorkflow, StepInput } from "../generated/schemas.ts";
import type { StandardSchema } from "../standard-schema.ts";

/**
 * Settings of a workflow. Omitted ones use the service's defaults.
 *
 * @example
 * const settings: WorkflowSettings = { timeout: "24h", schedule: { cron: "@daily", timezone: "Europe/Lisbon" } };
 * export const nightly = defineWorkflow("nightly", settings).sleep("rest", "1m");
 */
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
  schedule?: { cron: string; timezone?: string; overlap?: "allow" | "skip" | "cancel_running" };
  /** Job that is triggered when a run fails or times out. */
  onFailure?: string | AnyJob;
  /** Keys of events that cancel a run, with templates over its payload. */
  cancelOn?: string[];
  tags?: Record<string, string> | string[];
  environment?: string;
  enabled?: boolean;
  /** JSON Schema for validating triggers, instead of the one derived from `schema`. Null: none. */
  payloadSchema?: Record<string, unknown> | null;
};

/**
 * A workflow definition: its steps as the API accepts them. Pass it to `workflows.trigger`.
 *
 * @example
 * const draw = (workflow: Workflow) => workflow.toMermaid();
 * console.log(draw(order));
 */
export type Workflow<Input = unknown, Outputs = unknown> = {
  readonly kind: "workflow";
  readonly id: string;
  readonly settings: WorkflowSettings;
  readonly schema: StandardSchema<unknown, unknown> | undefined;
  readonly steps: readonly StepInput[];
  /** The body of `POST /v1/workflows`. */
  toJSON: () => CreateWorkflow;
  /** The graph as Mermaid text. */
  toMermaid: () => string;
  /** Type information only. */
  readonly "~types"?: { input: Input; outputs: Outputs } | undefined;
};

/**
 * A workflow with any payload and outputs.
 *
 * @example
 * const workflows: AnyWorkflow[] = [order];
 * const bodies = workflows.map((workflow) => workflow.toJSON());
 */
export type AnyWorkflow = Workflow<unknown, unknown>;
/**
 * The payload of a workflow.
 *
 * @example
 * const payload: WorkflowInput<typeof order> = { id: "o-1" };
 */
export type WorkflowInput<W> = W extends Workflow<infer Input, unknown> ? Input : unknown;
/**
 * The outputs of a workflow by step ref.
 *
 * @example
 * const print = ({ total }: WorkflowOutputs<typeof order>) => console.log(total.cents);
 */
export type WorkflowOutputs<W> = W extends Workflow<unknown, infer Outputs> ? Outputs : Record<string, unknown>;

type OnFailure = "fail_workflow" | "skip_dependents" | "continue";

/** Values that templates can use: the payload of the run, and the outputs of the steps in `after`. */
export type Refs<Input, Outputs, After extends readonly (keyof Outputs)[], More = unknown> = {
  payload: Input;
  out: { [Ref in After[number]]: Outputs[Ref] };
} & More extends infer All
  ? { [Name in keyof All]: All[Name] }
  : never;

/**
 * Options of every step.
 *
 * @example
 * const tolerant: StepOptions<[]> = { onFailure: "continue", condition: "payload.country == 'PT'" };
 * export const rest = defineWorkflow("rest").sleep("hour", "1h", tolerant);
 */
export type StepOptions<After> = {
  /** Steps that must end before this one starts. */
  after?: After;
  onFailure?: OnFailure;
  /** CEL expression over `payload`, `parent_outputs` and `steps.<ref>.status`; false skips the step. */
  condition?: string;
};

/**
 * The output of an approval step.
 *
 * @example
 * const describe = ({ approved, by, comment }: ApprovalOutput) => `${approved ? "approved" : "rejected"} by ${by}: ${comment ?? "-"}`;
 */
export type ApprovalOutput = { approved: boolean; by: string; comment: string | null };
