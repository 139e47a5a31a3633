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

/** Refuses a ref that is taken. */
type NewRef<Ref extends string, Outputs> = Ref & (Ref extends keyof Outputs ? never : unknown);
type Known<Outputs> = readonly (keyof Outputs & string)[];
type With<Outputs, Ref extends string, Output> = {
  [R in keyof Outputs | Ref]: R extends keyof Outputs ? Outputs[R] : Output;
};

/** What runs without a payload of its own gets that of the workflow, which must fit. */
type Fits<Input, Wanted> = [Input] extends [Wanted] ? unknown : never;

type JobStepOptions<Input, Outputs, After extends Known<Outputs>, Output> = StepOptions<After> & {
  timeout?: Duration;
  maxAttempts?: number;
  priority?: number;
  concurrencyKey?: (refs: Refs<Input, Outputs, After>) => string;
  /** When the step has completed, whoever waits for this key is resumed with its output. */
  emit?: (refs: Refs<Input, Outputs, After> & { output: Output }) => string;
  /** How long the event is kept when nobody waits. */
  emitBuffer?: Duration;
  /** Job that undoes the step; gets `{input, output}`. */
  compensate?: AnyJob | string;
};

type MapStepOptions<Input, Outputs, After extends Known<Outputs>, Item> = StepOptions<After> & {
  items: (refs: Refs<Input, Outputs, After>) => readonly Item[];
  /** Items at a time; 10 unless said. */
  maxParallel?: number;
  /** How many may fail without failing the step; true: all. */
  tolerateFailures?: number | boolean;
  compensate?: AnyJob | string;
};

type MapRefs<Input, Outputs, After extends Known<Outputs>, Item> = Refs<Input, Outputs, After> & {
  item: Item;
  index: number;
};

/** Grows by a step with each call. Steps are known to the compiler by their refs, with what they give. */
export type WorkflowBuilder<Input, Outputs> = Workflow<Input, Outputs> & {
  /** A run of a job. Its payload is laid over that of the workflow, field by field. */
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
  /** Waits for an event; its payload is the output. */
  waitForEvent: <
    const Ref extends string,
    S extends StandardSchema<unknown, unknown>,
    const After extends Known<Outputs> = [],
  >(
    ref: NewRef<Ref, Outputs>,
    options: StepOptions<After> & {
      key: (refs: Refs<Input, Outputs, After>) => string;
      /** Types the output; pass `schema` of a defineEvent. Never give the type as a type argument. */
      schema?: S | undefined;
      /** An hour unless said. */
      timeout?: Duration;
      notifyUrl?: string;
    },
  ) => WorkflowBuilder<Input, With<Outputs, Ref, InputOf<S>>>;
  /** Waits for a time. */
  sleep: <const Ref extends string, const After extends Known<Outputs> = []>(
    ref: NewRef<Ref, Outputs>,
    duration: Duration,
    options?: StepOptions<After>,
  ) => WorkflowBuilder<Input, With<Outputs, Ref, null>>;
  /** Waits for a person. */
  approval: <const Ref extends string, const After extends Known<Outputs> = []>(
    ref: NewRef<Ref, Outputs>,
    options?: StepOptions<After> & {
      /** Names of the callers who may decide; nobody named: whoever may write workflows. */
      approvers?: string[];
      message?: string | ((refs: Refs<Input, Outputs, After>) => string);
      /** A day unless said. */
      timeout?: Duration;
    },
  ) => WorkflowBuilder<Input, With<Outputs, Ref, ApprovalOutput>>;
  /** Runs a job once for each item of a list. The outputs, in order, are the output. */
  map: <const Ref extends string, J extends AnyJob, Item, const After extends Known<Outputs> = []>(
    ref: NewRef<Ref, Outputs>,
    job: J,
    options: MapStepOptions<Input, Outputs, After, Item> & {
      payload: (refs: MapRefs<Input, Outputs, After, Item>) => JobInput<J>;
    },
  ) => WorkflowBuilder<Input, With<Outputs, Ref, (JobOutput<J> | null)[]>>;
  /** The same with a workflow for each item. */
  mapWorkflow: <const Ref extends string, W extends AnyWorkflow, Item, const After extends Known<Outputs> = []>(
    ref: NewRef<Ref, Outputs>,
    workflow: W,
    options: MapStepOptions<Input, Outputs, After, Item> & {
      payload: (refs: MapRefs<Input, Outputs, After, Item>) => WorkflowInput<W>;
    },
  ) => WorkflowBuilder<Input, With<Outputs, Ref, (Partial<WorkflowOutputs<W>> | null)[]>>;
  /** A run of another workflow; its output is that of its last steps, by ref. */
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
