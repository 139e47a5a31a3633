import type { AnyJob } from "../define-job.ts";
import { durationSecs } from "../duration.ts";
import type { CreateJob, CreateWorkflow } from "../generated/schemas.ts";
import { jsonSchemaOf } from "../json-schema-of.ts";
import type { ServeOptions } from "./serve-options.ts";

/**
 * The jobs and workflows of an endpoint, as bodies of create requests. Only the caller knows the endpoint's URL.
 *
 * @example
 * const manifest: Manifest = await readManifest("http://localhost:3000/millrace", secret);
 * console.log(manifest.jobs.map(({ slug }) => slug));
 */
export type Manifest = {
  millrace: 1;
  jobs: Omit<CreateJob, "endpoint_url" | "delivery">[];
  workflows: CreateWorkflow[];
};

export function manifestOf({ jobs, workflows = [] }: Pick<ServeOptions, "jobs" | "workflows">): Manifest {
  return { millrace: 1, jobs: jobs.map(printJob), workflows: workflows.map((workflow) => workflow.toJSON()) };
}

/** The body that creates the job. Omitted settings use the service's defaults. */
function printJob({ id, settings, schema }: AnyJob): Omit<CreateJob, "endpoint_url" | "delivery"> {
  const { retry, rateLimit, schedule, onFailure } = settings;
  const secs = (duration: Parameters<typeof durationSecs>[0] | undefined) => duration && durationSecs(duration);
  const body: Omit<CreateJob, "endpoint_url" | "delivery"> = {
    name: settings.name ?? id,
    slug: id,
    description: settings.description,
    timeout_secs: secs(settings.timeout),
    max_attempts: retry?.maxAttempts,
    retry_strategy: retry?.delays ? "custom" : retry?.backoff,
    retry_delays_secs: retry?.delays?.map(durationSecs),
    default_run_metadata: settings.defaultRunMetadata,
    payload_schema: settings.payloadSchema === undefined ? jsonSchemaOf(schema) : settings.payloadSchema,
    result_schema: settings.resultSchema,
    max_cost_microusd: microusd(settings.maxCostUsd),
    estimated_cost_microusd: microusd(settings.estimatedCostUsd),
    on_failure_job_id: typeof onFailure === "object" ? onFailure.id : onFailure,
    environment_id: settings.environment,
    enabled: settings.enabled,
    queue: settings.queue,
    max_concurrency: settings.maxConcurrency,
    max_concurrency_per_key: settings.maxConcurrencyPerKey,
    rate_limit_max: rateLimit?.max,
    rate_limit_window_secs: secs(rateLimit?.window),
    rate_limit_keys: settings.rateLimitKeys?.map(({ window, ...key }) => ({
      ...key,
      window_secs: durationSecs(window),
    })),
    cron: schedule?.cron,
    timezone: schedule?.timezone,
    cron_overlap_policy: schedule?.overlap,
    dedup_window_secs: secs(settings.dedupWindow),
    debounce_window_secs: secs(settings.debounceWindow),
    run_ttl_secs: secs(settings.runTtl),
    priority: settings.priority,
    cancel_on: settings.cancelOn?.map((event_key) => ({ event_key })),
    tags: settings.tags,
  };
  return JSON.parse(JSON.stringify(body));
}

function microusd(usd: number | undefined): number | undefined {
  return usd === undefined ? undefined : Math.round(usd * 1_000_000);
}
