import type { AnyJob, JobInput, JobOutput } from "../define-job.ts";
import { type Duration, durationSecs } from "../duration.ts";
import type { Run, TriggerJob } from "../generated/schemas.ts";
import { checkWith } from "../standard-schema.ts";
import type { ClientCore } from "./create-core.ts";
import { type RunHandle, runHandle } from "./run-handle.ts";

/**
 * Options of `client.jobs.trigger`.
 *
 * @example
 * const options: TriggerOptions = { idempotencyKey: "order-1", tags: ["eu"], priority: 5, delay: "10m" };
 * await client.jobs.trigger(sendMail, { to: "ann@example.com" }, options);
 */
export type TriggerOptions = {
  /** Repeating the key within 24 hours returns the existing run. Default: a new key per call. */
  idempotencyKey?: string | undefined;
  tags?: Record<string, string> | string[] | undefined;
  metadata?: Record<string, unknown> | undefined;
  /** Each point moves the run one minute ahead in the queue. */
  priority?: number | undefined;
  concurrencyKey?: string | undefined;
  delay?: Duration | undefined;
  scheduledAt?: Date | string | undefined;
  timeout?: Duration | undefined;
  maxAttempts?: number | undefined;
  /** Id or slug. */
  environment?: string | undefined;
  dependsOnRunIds?: string[] | undefined;
  signal?: AbortSignal | undefined;
};

/** Required unless the job accepts any payload. */
export type PayloadArgs<Input> = undefined extends Input ? [payload?: Input] : [payload: Input];

export type TriggerJobFn = <J extends AnyJob>(
  job: J | string,
  ...args: [...PayloadArgs<JobInput<J>>, options?: TriggerOptions]
) => Promise<RunHandle<JobOutput<J>>>;

/** Starts a run of a job, by definition or slug. Safe to retry, since every call has an idempotency key. */
export function triggerJobOf(core: ClientCore): TriggerJobFn {
  return (async (job: AnyJob | string, payload: unknown, options: TriggerOptions = {}) => {
    const slug = typeof job === "string" ? job : job.id;
    const { idempotency_key, ...body } = await triggerBody(job, payload, options);
    const run = await core.request<Run>("POST", `/v1/jobs/${encodeURIComponent(slug)}/trigger`, {
      body,
      idempotencyKey: idempotency_key,
      signal: options.signal,
    });
    return runHandle(core, run.id, run);
  }) as TriggerJobFn;
}

/** Validates the payload against the job's schema, and sends it unchanged. */
export async function triggerBody(
  job: AnyJob | string,
  payload: unknown,
  options: TriggerOptions,
): Promise<TriggerJob & { idempotency_key: string }> {
  const definition = typeof job === "string" ? undefined : job;
  if (definition?.schema) await checkWith(definition.schema, payload, "payload");
  const concurrency_key = options.concurrencyKey ?? definition?.concurrencyKey?.(payload as never);
  return {
    ...(payload !== undefined && { payload }),
    idempotency_key: options.idempotencyKey ?? crypto.randomUUID(),
    tags: options.tags,
    metadata: options.metadata,
    priority: options.priority,
    concurrency_key,
    delay_secs: options.delay && durationSecs(options.delay),
    scheduled_at: options.scheduledAt instanceof Date ? options.scheduledAt.toISOString() : options.scheduledAt,
    timeout_secs: options.timeout && durationSecs(options.timeout),
    max_attempts: options.maxAttempts,
    environment_id: options.environment,
    depends_on_run_ids: options.dependsOnRunIds,
  };
}
