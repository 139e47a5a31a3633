import type { RunEnd } from "../client/run-end.ts";
import type { EventDefinition, EventRef } from "../define-event.ts";
import type { AnyJob, JobInput, JobOutput } from "../define-job.ts";
import type { Duration } from "../duration.ts";
import type { StandardSchema } from "../standard-schema.ts";

/** What a job knows of its run. */
export type RunInfo = {
  id: string;
  jobId: string;
  jobSlug: string;
  projectId: string;
  /** Rises with every dispatch and never repeats. */
  attempt: number;
  maxAttempts: number;
  /** What `maxAttempts` bounds: dispatches that ended in a failure so far. */
  triesUsed: number;
  metadata: Record<string, unknown>;
  tags: Record<string, string>;
  scheduledAt: Date;
  /** When this attempt is timed out. */
  deadline: Date;
  /** Of a step of a workflow. */
  workflowRunId: string | undefined;
  stepRef: string | undefined;
};

export type LogLevel = "debug" | "info" | "warn" | "error";
export type Logger = Record<LogLevel, (message: string, fields?: Record<string, unknown>) => void>;

export type Usage = {
  provider?: string;
  model?: string;
  inputTokens?: number;
  outputTokens?: number;
  costUsd?: number;
  metadata?: Record<string, unknown>;
};

export type WaitOptions = {
  /** An hour unless said; when it is over, the run is timed out. A year at most. */
  timeout?: Duration;
  /** Gets a signed webhook when the event arrives. */
  notifyUrl?: string;
};

export type SpawnOptions = {
  /** The same key answers the same child. Made from the run and the order of its spawns unless said. */
  idempotencyKey?: string;
  tags?: Record<string, string> | string[];
  metadata?: Record<string, unknown>;
  priority?: number;
  concurrencyKey?: string;
  delay?: Duration;
};

/** What a job can do with its own run. */
export type RunContext = {
  readonly run: RunInfo;
  /** As the run was started with, before any schema. */
  readonly payload: unknown;
  /** In a workflow: what the steps before gave. */
  readonly parentOutputs: Record<string, unknown>;
  /** Variables of the run's environment. */
  readonly env: Record<string, unknown>;
  /** Aborted when the run is canceled, timed out or taken from this attempt. */
  readonly signal: AbortSignal;
  /** Buffered; sent each second and before the attempt ends. */
  readonly log: Logger;
  /** Runs once: its result is kept, and answered by later attempts. What JSON keeps of it, in every attempt. */
  step: <T>(id: string, work: () => T | Promise<T>) => Promise<T>;
  readonly checkpoint: {
    /** What was set last, by whichever attempt. */
    get: <T = unknown>() => Promise<T | undefined>;
    set: (state: unknown) => Promise<void>;
  };
  progress: (percent: number, message?: string) => Promise<void>;
  /** Sent by itself while the job runs. */
  heartbeat: () => Promise<void>;
  readonly usage: { add: (usage: Usage) => Promise<void> };
  /** Does the work and records it as the call of a tool. */
  toolCall: <T>(name: string, input: unknown, work: () => T | Promise<T>) => Promise<T>;
  /** A named output, beside the result. */
  output: (name: string, value: unknown) => Promise<void>;
  /** Lays tags and metadata over those of the run. */
  tag: (changes: { tags?: Record<string, string> | string[]; metadata?: Record<string, unknown> }) => Promise<void>;
  /** Starts a child run and goes on. */
  spawn: <J extends AnyJob>(job: J | string, payload?: JobInput<J>, options?: SpawnOptions) => Promise<{ id: string }>;
  /** Starts a child run, suspends this one, and goes on when the child has ended. */
  spawnAndWait: <J extends AnyJob>(
    job: J | string,
    payload?: JobInput<J>,
    options?: SpawnOptions & { timeout?: Duration },
  ) => Promise<RunEnd<JobOutput<J>>>;
  /** Suspends the run until the event is there. The job is called again from the top; steps are not repeated. */
  waitForEvent: WaitForEvent;
  /** Suspends the run for a time, or until one. */
  sleep: (duration: Duration | Date) => Promise<void>;
};

export type WaitForEvent = {
  <Received>(event: EventRef<never, Received> | EventRef<unknown, Received>, options?: WaitOptions): Promise<Received>;
  <Args extends unknown[], Received>(
    event: EventDefinition<Args, never, Received> | EventDefinition<Args, unknown, Received>,
    options: WaitOptions & { key: string },
  ): Promise<Received>;
  <Received = unknown>(
    key: string,
    options?: WaitOptions & { schema?: StandardSchema<unknown, Received> },
  ): Promise<Received>;
};
