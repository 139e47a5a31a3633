import type { AnyJob, JobInput, JobOutput } from "../define-job.ts";
import { type Duration, durationSecs } from "../duration.ts";
import type { Run, TriggerJob } from "../generated/schemas.ts";
import { checkWith } from "../standard-schema.ts";
import type { ClientCore } from "./create-core.ts";
import { type RunHandle, runHandle } from "./run-handle.ts";

export type TriggerOptions = {
  /** The same key within 24 hours answers the run that exists. Made anew for each call unless said. */
  idempotencyKey?: string | undefined;
  tags?: Record<string, string> | string[] | undefined;
  metadata?: Record<string, unknown> | undefined;
  /** A point is a minute ahead in line. */
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

/** Required unless the job takes nothing in particular. */
export type PayloadThen<Input, Options> = undefined extends Input
  ? [payload?: Input, options?: Options]
  : [payload: Input, options?: Options];

export type TriggerJobFn = <J extends AnyJob>(
  job: J | string,
  ...args: PayloadThen<JobInput<J>, TriggerOptions>
) => Promise<RunHandle<JobOutput<J>>>;

/** Starts a run of a job, by its definition or its slug. Safe to repeat: every call carries a key. */
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

/** A payload that does not fit the job's schema is refused here; what is sent is what was given. */
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
