import type { AnyJob, JobInput, JobOutput } from "../define-job.ts";
import type { Duration } from "../duration.ts";
import type { InputOf, StandardSchema } from "../standard-schema.ts";
import type {
  AnyWorkflow,
  ApprovalOutput,
  Refs,
  StepOptions,
  Workflow,
  WorkflowInput,
  WorkflowOutputs,
} from "./workflow-types.ts";

/** Rejects a ref that is already used. */
type NewRef<Ref extends string, Outputs> = Ref & (Ref extends keyof Outputs ? never : unknown);
type Known<Outputs> = readonly (keyof Outputs & string)[];
/** Adds a step's output. Inferred once more, so that editors show the outputs and not this type's name. */
type With<Outputs, Ref extends string, Output> = {
  [R in keyof Outputs | Ref]: R extends keyof Outputs ? Outputs[R] : Output;
} extends infer All
  ? All
  : never;

/** A step without its own payload gets the workflow's payload, which must match. */
type Fits<Input, Wanted> = [Input] extends [Wanted] ? unknown : never;

/**
 * Options of `.job(…)`. An interface, so that editors show a name instead of every option.
 *
 * @example
 * const patient = { timeout: "1h", maxAttempts: 10 } satisfies Partial<JobStepOptions<unknown, [], unknown>>;
 * export const mailing = defineWorkflow("mailing").job("mail", sendMail, { ...patient, payload: () => ({ to: "ann@example.com" }) });
 */
export interface JobStepOptions<StepRefs, After, Output> extends StepOptions<After> {
  timeout?: Duration;
  maxAttempts?: number;
  priority?: number;
  concurrencyKey?: (refs: StepRefs) => string;
  /** When the step completes, an event with this key and the step's output is sent. */
  emit?: (refs: StepRefs & { output: Output }) => string;
  /** How long the event is buffered if nothing waits for it. */
  emitBuffer?: Duration;
  /** Job that undoes the step. It gets `{input, output}`. */
  compensate?: AnyJob | string;
}

/**
 * Options of `.map(…)` and `.mapWorkflow(…)`.
 *
 * @example
 * const gentle = { maxParallel: 2, tolerateFailures: true } satisfies Partial<MapStepOptions<unknown, [], string>>;
 * export const mailing = defineWorkflow("mailing", { schema: z.object({ to: z.array(z.string()) }) }).map("mails", sendMail, {
 *   ...gentle,
 *   items: ({ payload }) => payload.to,
 *   payload: ({ item }) => ({ to: item }),
 * });
 */
export interface MapStepOptions<StepRefs, After, Item> extends StepOptions<After> {
  items: (refs: StepRefs) => readonly Item[];
  /** Maximum number of items at a time. Default: 10. */
  maxParallel?: number;
  /** How many items may fail without failing the step; true allows all. */
  tolerateFailures?: number | boolean;
  compensate?: AnyJob | string;
}

/**
 * Each call adds a step. The compiler knows the steps by ref, with the types of their outputs.
 *
 * @example
 * const later: WorkflowBuilder<{ id: string }, { rest: null }> = defineWorkflow("later", {
 *   schema: z.object({ id: z.string() }),
 * }).sleep("rest", "30m");
 */
export type WorkflowBuilder<Input, Outputs> = Workflow<Input, Outputs> & {
  /** Runs a job. Its payload is merged over that of the workflow, field by field. */
  job: {
    <const Ref extends string, J extends AnyJob, const After extends Known<Outputs> = []>(
      ref: NewRef<Ref, Outputs>,
      job: J,
      options: JobStepOptions<Refs<Input, Outputs, After>, After, JobOutput<J>> & {
        payload: (refs: Refs<Input, Outputs, After>) => JobInput<J>;
      },
    ): WorkflowBuilder<Input, With<Outputs, Ref, JobOutput<J>>>;
    <const Ref extends string, J extends AnyJob, const After extends Known<Outputs> = []>(
      ref: NewRef<Ref, Outputs>,
      job: J & Fits<Input, JobInput<J>>,
      options?: JobStepOptions<Refs<Input, Outputs, After>, After, JobOutput<J>>,
    ): WorkflowBuilder<Input, With<Outputs, Ref, JobOutput<J>>>;
  };
  /** Waits for an event. Its payload is the step's output. */
  waitForEvent: <
    const Ref extends string,
    S extends StandardSchema<unknown, unknown>,
    const After extends Known<Outputs> = [],
  >(
    ref: NewRef<Ref, Outputs>,
    options: StepOptions<After> & {
      key: (refs: Refs<Input, Outputs, After>) => string;
      /** Types the output; pass the `schema` of a defineEvent. Do not pass the type as a type argument. */
      schema?: S | undefined;
      /** Default: one hour. */
      timeout?: Duration;
      notifyUrl?: string;
    },
  ) => WorkflowBuilder<Input, With<Outputs, Ref, InputOf<S>>>;
  /** Waits for a duration. */
  sleep: <const Ref extends string, const After extends Known<Outputs> = []>(
    ref: NewRef<Ref, Outputs>,
    duration: Duration,
    options?: StepOptions<After>,
  ) => WorkflowBuilder<Input, With<Outputs, Ref, null>>;
  /** Waits for an approval by a person. */
  approval: <const Ref extends string, const After extends Known<Outputs> = []>(
    ref: NewRef<Ref, Outputs>,
    options?: StepOptions<After> & {
      /** Names of the callers who may decide. Default: everyone with permission to write workflows. */
      approvers?: string[];
      message?: string | ((refs: Refs<Input, Outputs, After>) => string);
      /** Default: one day. */
      timeout?: Duration;
    },
  ) => WorkflowBuilder<Input, With<Outputs, Ref, ApprovalOutput>>;
  /** Runs a job once per item of a list. The step's output is the list of outputs, in order. */
  map: <const Ref extends string, J extends AnyJob, Item, const After extends Known<Outputs> = []>(
    ref: NewRef<Ref, Outputs>,
    job: J,
    options: MapStepOptions<Refs<Input, Outputs, After>, After, Item> & {
      payload: (refs: Refs<Input, Outputs, After, { item: Item; index: number }>) => JobInput<J>;
    },
  ) => WorkflowBuilder<Input, With<Outputs, Ref, (JobOutput<J> | null)[]>>;
  /** Runs a workflow once per item of a list. */
  mapWorkflow: <const Ref extends string, W extends AnyWorkflow, Item, const After extends Known<Outputs> = []>(
    ref: NewRef<Ref, Outputs>,
    workflow: W,
    options: MapStepOptions<Refs<Input, Outputs, After>, After, Item> & {
      payload: (refs: Refs<Input, Outputs, After, { item: Item; index: number }>) => WorkflowInput<W>;
    },
  ) => WorkflowBuilder<Input, With<Outputs, Ref, (Partial<WorkflowOutputs<W>> | null)[]>>;
  /** Runs another workflow. The step's output has the outputs of its final steps, by ref. */
  subWorkflow: {
    <const Ref extends string, W extends AnyWorkflow, const After extends Known<Outputs> = []>(
      ref: NewRef<Ref, Outputs>,
      workflow: W,
      options: StepOptions<After> & {
        payload: (refs: Refs<Input, Outputs, After>) => WorkflowInput<W>;
        compensate?: AnyJob | string;
      },
    ): WorkflowBuilder<Input, With<Outputs, Ref, Partial<WorkflowOutputs<W>>>>;
    <const Ref extends string, W extends AnyWorkflow, const After extends Known<Outputs> = []>(
      ref: NewRef<Ref, Outputs>,
      workflow: W & Fits<Input, WorkflowInput<W>>,
      options?: StepOptions<After> & { compensate?: AnyJob | string },
    ): WorkflowBuilder<Input, With<Outputs, Ref, Partial<WorkflowOutputs<W>>>>;
  };
};
