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
type With<Outputs, Ref extends string, Output> = {
  [R in keyof Outputs | Ref]: R extends keyof Outputs ? Outputs[R] : Output;
};

/** A step without its own payload gets the workflow's payload, which must match. */
type Fits<Input, Wanted> = [Input] extends [Wanted] ? unknown : never;

type JobStepOptions<Input, Outputs, After extends Known<Outputs>, Output> = StepOptions<After> & {
  timeout?: Duration;
  maxAttempts?: number;
  priority?: number;
  concurrencyKey?: (refs: Refs<Input, Outputs, After>) => string;
  /** When the step completes, an event with this key and the step's output is sent. */
  emit?: (refs: Refs<Input, Outputs, After> & { output: Output }) => string;
  /** How long the event is buffered if nothing waits for it. */
  emitBuffer?: Duration;
  /** Job that undoes the step. It gets `{input, output}`. */
  compensate?: AnyJob | string;
};

type MapStepOptions<Input, Outputs, After extends Known<Outputs>, Item> = StepOptions<After> & {
  items: (refs: Refs<Input, Outputs, After>) => readonly Item[];
  /** Maximum number of items at a time. Default: 10. */
  maxParallel?: number;
  /** How many items may fail without failing the step; true allows all. */
  tolerateFailures?: number | boolean;
  compensate?: AnyJob | string;
};

type MapRefs<Input, Outputs, After extends Known<Outputs>, Item> = Refs<Input, Outputs, After> & {
  item: Item;
  index: number;
};

/** Each call adds a step. The compiler knows the steps by ref, with the types of their outputs. */
export type WorkflowBuilder<Input, Outputs> = Workflow<Input, Outputs> & {
  /** Runs a job. Its payload is merged over that of the workflow, field by field. */
  job: {
    <const Ref extends string, J extends AnyJob, const After extends Known<Outputs> = []>(
      ref: NewRef<Ref, Outputs>,
      job: J,
      options: JobStepOptions<Input, Outputs, After, JobOutput<J>> & {
        payload: (refs: Refs<Input, Outputs, After>) => JobInput<J>;
      },
    ): WorkflowBuilder<Input, With<Outputs, Ref, JobOutput<J>>>;
    <const Ref extends string, J extends AnyJob, const After extends Known<Outputs> = []>(
      ref: NewRef<Ref, Outputs>,
      job: J & Fits<Input, JobInput<J>>,
      options?: JobStepOptions<Input, Outputs, After, JobOutput<J>>,
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
    options: MapStepOptions<Input, Outputs, After, Item> & {
      payload: (refs: MapRefs<Input, Outputs, After, Item>) => JobInput<J>;
    },
  ) => WorkflowBuilder<Input, With<Outputs, Ref, (JobOutput<J> | null)[]>>;
  /** Runs a workflow once per item of a list. */
  mapWorkflow: <const Ref extends string, W extends AnyWorkflow, Item, const After extends Known<Outputs> = []>(
    ref: NewRef<Ref, Outputs>,
    workflow: W,
    options: MapStepOptions<Input, Outputs, After, Item> & {
      payload: (refs: MapRefs<Input, Outputs, After, Item>) => WorkflowInput<W>;
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
