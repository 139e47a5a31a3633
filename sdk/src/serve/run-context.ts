import type { RunEnd } from "../client/run-end.ts";
import type { EventDefinition, EventRef } from "../define-event.ts";
import type { AnyJob, JobInput, JobOutput } from "../define-job.ts";
import type { Duration } from "../duration.ts";
import type { StandardSchema } from "../standard-schema.ts";

/**
 * Information about the current run.
 *
 * @example
 * const isLastTry = (run: RunInfo) => run.triesUsed + 1 >= run.maxAttempts;
 */
export type RunInfo = {
  id: string;
  jobId: string;
  jobSlug: string;
  projectId: string;
  /** Increases with every dispatch and never repeats. */
  attempt: number;
  maxAttempts: number;
  /** Failed dispatches so far, counted against `maxAttempts`. */
  triesUsed: number;
  metadata: Record<string, unknown>;
  tags: Record<string, string>;
  scheduledAt: Date;
  /** When this attempt times out. */
  deadline: Date;
  /** Set for a workflow step. */
  workflowRunId: string | undefined;
  stepRef: string | undefined;
};

export type LogLevel = "debug" | "info" | "warn" | "error";
/**
 * Writes to the log of the run.
 *
 * @example
 * const logTo = (log: Logger) => log.info("rendered", { pages: 3 });
 */
export type Logger = Record<LogLevel, (message: string, fields?: Record<string, unknown>) => void>;

/**
 * What a call of a model or another paid service used.
 *
 * @example
 * const usage: Usage = { provider: "openai", model: "gpt-5", inputTokens: 900, outputTokens: 120, costUsd: 0.004 };
 * await ctx.usage.add(usage);
 */
export type Usage = {
  provider?: string;
  model?: string;
  inputTokens?: number;
  outputTokens?: number;
  costUsd?: number;
  metadata?: Record<string, unknown>;
};

/**
 * Options of `ctx.waitForEvent`.
 *
 * @example
 * const options: WaitOptions = { timeout: "24h" };
 * const { by } = await ctx.waitForEvent(approved({ id: "o-1" }), options);
 */
export type WaitOptions = {
  /** Default: one hour; at most one year. After that, the run times out. */
  timeout?: Duration;
  /** URL that receives a signed webhook when the event arrives. */
  notifyUrl?: string;
};

/**
 * Options of `ctx.spawn` and `ctx.spawnAndWait`.
 *
 * @example
 * const options: SpawnOptions = { tags: ["child"], delay: "10m" };
 * await ctx.spawn(sendMail, { to: "ann@example.com" }, options);
 */
export type SpawnOptions = {
  /** Repeating the key returns the same child. Default: derived from the run and the order of its spawns. */
  idempotencyKey?: string;
  tags?: Record<string, string> | string[];
  metadata?: Record<string, unknown>;
  priority?: number;
  concurrencyKey?: string;
  delay?: Duration;
};

/**
 * Everything a job can do with its own run.
 *
 * @example
 * export const welcome = defineJob({
 *   id: "welcome",
 *   run: async (payload: { to: string }, ctx: RunContext) => {
 *     const text = await ctx.step("render", () => `Hello ${payload.to}`);
 *     await ctx.progress(50, "rendered");
 *     await ctx.sleep("1h");
 *     return ctx.spawnAndWait(sendMail, { to: payload.to });
 *   },
 * });
 */
export type RunContext = {
  readonly run: RunInfo;
  /** The payload as sent, before schema validation. */
  readonly payload: unknown;
  /** In a workflow: outputs of the steps this one depends on. */
  readonly parentOutputs: Record<string, unknown>;
  /** Variables of the run's environment. */
  readonly env: Record<string, unknown>;
  /** Aborted when the run is canceled or times out, or this attempt no longer owns it. */
  readonly signal: AbortSignal;
  /** Buffered; sent every second and before the attempt ends. */
  readonly log: Logger;
  /** Runs the work once and stores its result, which later attempts reuse. The result is JSON-serialized. */
  step: <T>(id: string, work: () => T | Promise<T>) => Promise<T>;
  /** State of your own that survives retries and waits. */
  readonly checkpoint: {
    /** The last saved value, from any attempt. */
    get: <T = unknown>() => Promise<T | undefined>;
    /** Saves a JSON value, and replaces the last one. */
    set: (state: unknown) => Promise<void>;
  };
  /** Shows how far the run is: `progress(40, "rendering")`. Need not be awaited. */
  progress: (percent: number, message?: string) => Promise<void>;
  /** Sent automatically while the job runs. */
  heartbeat: () => Promise<void>;
  /** Records tokens and costs. A run that exceeds the job's `maxCostUsd` is stopped. */
  readonly usage: { add: (usage: Usage) => Promise<void> };
  /** Runs the work and records it as a tool call. */
  toolCall: <T>(name: string, input: unknown, work: () => T | Promise<T>) => Promise<T>;
  /** Stores a named output in addition to the result. */
  output: (name: string, value: unknown) => Promise<void>;
  /** Merges tags and metadata into those of the run. */
  tag: (changes: { tags?: Record<string, string> | string[]; metadata?: Record<string, unknown> }) => Promise<void>;
  /** Starts a child run and continues. */
  spawn: <J extends AnyJob>(job: J | string, payload?: JobInput<J>, options?: SpawnOptions) => Promise<{ id: string }>;
  /** Starts a child run and suspends this one until the child ends. */
  spawnAndWait: <J extends AnyJob>(
    job: J | string,
    payload?: JobInput<J>,
    options?: SpawnOptions & { timeout?: Duration },
  ) => Promise<RunEnd<JobOutput<J>>>;
  /**
   * Suspends the run until the event arrives. The job is then called again from the top; completed steps are not
   * repeated.
   */
  waitForEvent: WaitForEvent;
  /** Suspends the run for a duration or until a time. */
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
