import type { Duration } from "./duration.ts";
import { MillraceError } from "./errors.ts";
import type { RunContext } from "./serve/run-context.ts";
import type { InputOf, OutputOf, StandardSchema } from "./standard-schema.ts";

/** How the service treats the job. What is left out is as the service has it by default. */
export type JobSettings = {
  /** Slug of the job: lower-case letters, digits and single hyphens. */
  id: string;
  /** Shown to people; the id unless said. */
  name?: string;
  description?: string;
  /** For one attempt. */
  timeout?: Duration;
  retry?: {
    maxAttempts?: number;
    /** 1 s doubled each time up to an hour, 1 s more each time, or 1 s. */
    backoff?: "exponential" | "linear" | "fixed";
    /** The wait before each retry, in place of a backoff; the last one repeats. */
    delays?: Duration[];
  };
  maxConcurrency?: number;
  maxConcurrencyPerKey?: number;
  rateLimit?: { max: number; window: Duration };
  /** Runs whose rendered key is the same share the limit: `{{payload.customer_id}}`. */
  rateLimitKeys?: { name: string; key: string; max: number; window: Duration }[];
  schedule?: { cron: string; tz?: string; overlap?: "allow" | "skip" | "cancel_running" };
  /** The same payload within it answers the run that exists. */
  dedupWindow?: Duration;
  /** A trigger while one of the same concurrency key waits replaces its payload and waits anew. */
  debounceWindow?: Duration;
  /** A run that has not started by then is canceled. */
  runTtl?: Duration;
  priority?: number;
  tags?: Record<string, string> | string[];
  defaultRunMetadata?: Record<string, unknown>;
  /** A run that has cost more is stopped. */
  maxCostUsd?: number;
  /** Held of the budget while a run has not ended. */
  estimatedCostUsd?: number;
  /** Started when a run ends in failure. */
  onFailure?: string | AnyJob;
  /** Keys of events that cancel a run, with templates over its payload: `order.{{payload.id}}.canceled`. */
  cancelOn?: string[];
  /** Where runs happen when nobody says: id or slug. */
  environment?: string;
  enabled?: boolean;
  /** JSON Schema that the service checks triggers by, in place of the one that `schema` prints. Null: none. */
  payloadSchema?: Record<string, unknown> | null;
  /** JSON Schema of the result. */
  resultSchema?: Record<string, unknown>;
};

/** A job: what the service knows of it, and what it does. Also the value to trigger it by. */
export type Job<Input = unknown, Output = unknown> = {
  readonly kind: "job";
  readonly id: string;
  readonly settings: JobSettings;
  readonly schema: StandardSchema<unknown, unknown> | undefined;
  /** Made from the payload when this SDK triggers the job. */
  readonly concurrencyKey: ((payload: never) => string | undefined) | undefined;
  readonly run: (payload: never, ctx: RunContext) => unknown;
  /** For the compiler alone. */
  readonly "~types"?: { input: Input; output: Output } | undefined;
};

export type AnyJob = Job<unknown, unknown>;
export type JobInput<J> = J extends Job<infer Input, unknown> ? Input : unknown;
export type JobOutput<J> = J extends Job<unknown, infer Output> ? Output : unknown;

type Definition<Input, Payload, Output> = JobSettings & {
  concurrencyKey?: (payload: Input) => string | undefined;
  run: (payload: Payload, ctx: RunContext) => Output;
};

/** Defines a job. With a schema its payload is checked and typed; without one it is what `run` says it takes. */
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
    throw new MillraceError("bad_id", `id ${settings.id}: lower-case letters, digits and single hyphens, 63 at most`);
  }
  return { kind: "job", id: settings.id, settings, schema, concurrencyKey, run };
}

export const SLUG = /^(?=.{1,63}$)[a-z0-9]+(-[a-z0-9]+)*$/;
