import type { Duration } from "./duration.ts";
import { MillraceError } from "./errors.ts";
import type { RunContext } from "./serve/run-context.ts";
import type { InputOf, OutputOf, StandardSchema } from "./standard-schema.ts";

/** Settings of a job. Omitted ones use the service's defaults. */
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
  maxConcurrency?: number;
  maxConcurrencyPerKey?: number;
  rateLimit?: { max: number; window: Duration };
  /** Runs with the same rendered key share the limit: `{{payload.customer_id}}`. */
  rateLimitKeys?: { name: string; key: string; max: number; window: Duration }[];
  schedule?: { cron: string; tz?: string; overlap?: "allow" | "skip" | "cancel_running" };
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

/** A job definition: its settings and its code. Pass it to `jobs.trigger`. */
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

export type AnyJob = Job<unknown, unknown>;
export type JobInput<J> = J extends Job<infer Input, unknown> ? Input : unknown;
export type JobOutput<J> = J extends Job<unknown, infer Output> ? Output : unknown;

type Definition<Input, Payload, Output> = JobSettings & {
  concurrencyKey?: (payload: Input) => string | undefined;
  run: (payload: Payload, ctx: RunContext) => Output;
};

/**
 * Defines a job. With a schema, the payload is validated and typed; otherwise its type is that of `run`'s parameter.
 */
export function defineJob<S extends StandardSchema<unknown, unknown>, Output>(
  definition: Definition<InputOf<S>, OutputOf<S>, Output> & { schema: S },
): Job<InputOf<S>, Awaited<Output>>;
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
