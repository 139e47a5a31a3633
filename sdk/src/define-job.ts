import type { Duration } from "./duration.ts";
import { MillraceError } from "./errors.ts";
import type { RunContext } from "./serve/run-context.ts";
import type { InputOf, OutputOf, StandardSchema } from "./standard-schema.ts";

/**
 * Settings of a job. Omitted ones use the service's defaults.
 *
 * @example
 * const settings: JobSettings = {
 *   id: "nightly-report",
 *   timeout: "10m",
 *   retry: { maxAttempts: 5, backoff: "exponential" },
 *   schedule: { cron: "0 3 * * *", timezone: "Europe/Lisbon", overlap: "skip" },
 * };
 * export const report = defineJob({ ...settings, run: () => ({ pages: 3 }) });
 */
export type JobSettings = {
  /** Slug of the job: lower-case letters, digits and single hyphens. */
  id: string;
  /** Display name. Default: the id. */
  name?: string;
  description?: string;
  /** Timeout of one attempt. */
  timeout?: Duration;
  retry?: {
    maxAttempts?: number;
    /** `exponential`: 1 s, doubled each time, up to 1 h. `linear`: 1 s more each time. `fixed`: 1 s. */
    backoff?: "exponential" | "linear" | "fixed";
    /** Delays before each retry, instead of `backoff`. The last one repeats. */
    delays?: Duration[];
  };
  /** Queue whose limits and pause the job shares with others. It must exist. Default: `default`. */
  queue?: string;
  maxConcurrency?: number;
  maxConcurrencyPerKey?: number;
  rateLimit?: { max: number; window: Duration };
  /** Runs with the same rendered key share the limit: `{{payload.customer_id}}`. */
  rateLimitKeys?: { name: string; key: string; max: number; window: Duration }[];
  schedule?: { cron: string; timezone?: string; overlap?: "allow" | "skip" | "cancel_running" };
  /** A trigger with the same payload within this time returns the existing run. */
  dedupWindow?: Duration;
  /** A trigger replaces the payload of a run with the same concurrency key that has not started, and postpones it. */
  debounceWindow?: Duration;
  /** A run that has not started after this time is canceled. */
  runTtl?: Duration;
  priority?: number;
  tags?: Record<string, string> | string[];
  defaultRunMetadata?: Record<string, unknown>;
  /** A run that exceeds this cost is stopped. */
  maxCostUsd?: number;
  /** Amount reserved from the budget until a run ends. */
  estimatedCostUsd?: number;
  /** Job that is triggered when a run fails. */
  onFailure?: string | AnyJob;
  /** Keys of events that cancel a run, with templates over its payload: `order.{{payload.id}}.canceled`. */
  cancelOn?: string[];
  /** Id or slug of the default environment. */
  environment?: string;
  enabled?: boolean;
  /** JSON Schema for validating triggers, instead of the one derived from `schema`. Null: none. */
  payloadSchema?: Record<string, unknown> | null;
  /** JSON Schema of the result. */
  resultSchema?: Record<string, unknown>;
};

/**
 * A job definition: its settings and its code. Pass it to `jobs.trigger`.
 *
 * @example
 * const send = (job: Job<{ to: string }, { id: string }>) => client.jobs.trigger(job, { to: "ann@example.com" });
 */
export type Job<Input = unknown, Output = unknown> = {
  readonly kind: "job";
  readonly id: string;
  readonly settings: JobSettings;
  readonly schema: StandardSchema<unknown, unknown> | undefined;
  /** Computes the concurrency key when this SDK triggers the job. */
  readonly concurrencyKey: ((payload: never) => string | undefined) | undefined;
  readonly run: (payload: never, ctx: RunContext) => unknown;
  /** Type information only. */
  readonly "~types"?: { input: Input; output: Output } | undefined;
};

/**
 * A job with any payload and output.
 *
 * @example
 * const jobs: AnyJob[] = [sendMail];
 * const ids = jobs.map(({ id }) => id);
 */
export type AnyJob = Job<unknown, unknown>;
/**
 * The payload of a job.
 *
 * @example
 * const payload: JobInput<typeof sendMail> = { to: "ann@example.com" };
 */
export type JobInput<J> = J extends Job<infer Input, unknown> ? Input : unknown;
/**
 * The output of a job.
 *
 * @example
 * const print = (output: JobOutput<typeof sendMail>) => console.log(output.id);
 */
export type JobOutput<J> = J extends Job<unknown, infer Output> ? Output : unknown;

type Definition<Input, Payload, Output> = JobSettings & {
  concurrencyKey?: (payload: Input) => string | undefined;
  run: (payload: Payload, ctx: RunContext) => Output;
};

/**
 * Defines a job. The schema validates and types the payload.
 *
 * @example
 * export const sendMail = defineJob({
 *   id: "send-mail",
 *   schema: z.object({ to: z.string() }),
 *   retry: { maxAttempts: 5, backoff: "exponential" },
 *   run: async (payload, ctx) => {
 *     const text = await ctx.step("render", () => `Hello ${payload.to}`);
 *     return { id: payload.to, text };
 *   },
 * });
 */
export function defineJob<S extends StandardSchema<unknown, unknown>, Output>(
  definition: Definition<InputOf<S>, OutputOf<S>, Output> & { schema: S },
): Job<InputOf<S>, Awaited<Output>>;
/**
 * Defines a job. Without a schema, the payload has the type of the parameter of `run` and is not validated.
 *
 * @example
 * export const greet = defineJob({ id: "greet", run: (payload: { name: string }) => `Hello ${payload.name}` });
 */
export function defineJob<Payload, Output>(
  definition: Definition<Payload, Payload, Output> & { schema?: undefined },
): Job<Payload, Awaited<Output>>;
export function defineJob(
  definition: Definition<never, never, unknown> & { schema?: StandardSchema<unknown, unknown> | undefined },
): AnyJob {
  const { run, schema, concurrencyKey, ...settings } = definition;
  if (!SLUG.test(settings.id)) {
    throw new MillraceError(
      "bad_id",
      `Invalid id ${settings.id}: use lower-case letters, digits and single hyphens, at most 63 characters`,
    );
  }
  return { kind: "job", id: settings.id, settings, schema, concurrencyKey, run };
}

export const SLUG = /^(?=.{1,63}$)[a-z0-9]+(-[a-z0-9]+)*$/;
