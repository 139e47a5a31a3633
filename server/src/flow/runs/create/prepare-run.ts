import type { ProblemError } from "@millrace/contract/schema/problem";
import { ApiError, invalid } from "../../../platform/errors/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { writeHash } from "../../../platform/json/hash-json.ts";
import { schemaIssues } from "../../../platform/json-schema/compile-json-schema.ts";
import { isSliceOver, runSync, runSyncOrInSlices } from "../../../platform/time-slices.ts";
import { renderText } from "../../templates/render-template.ts";
import { laneHost } from "../claim/pull-lanes.ts";
import { renderCancelKeys } from "./cancel-keys.ts";
import { mergeTags } from "./merge-tags.ts";
import type { NewRun } from "./new-run.ts";
import type { TriggerableJob } from "./triggerable-job.ts";

type Optional<T> = { [Name in keyof T]?: T[Name] | undefined };

/** The request of a caller, a schedule, a parent run or a replay. */
export type Trigger = Pick<NewRun, "created_by" | "trigger_type"> &
  Optional<
    Pick<
      NewRun,
      | "created_by_id"
      | "payload"
      | "metadata"
      | "priority"
      | "concurrency_key"
      | "idempotency_key"
      | "body_hash"
      | "scheduled_at"
      | "delay_secs"
      | "timeout_secs"
      | "max_attempts"
      | "batch_id"
      | "parent_run_id"
      | "spawn_depth"
      | "replay_of"
      | "schedule_id"
      | "workflow_run_id"
      | "step_ref"
      | "step_generation"
      | "parent_outputs"
      | "awaited_by"
      | "traceparent"
    >
  > & {
    environment_id?: string | null;
    tags?: Record<string, string> | string[] | undefined;
    /** Tags of another run, in place of `tags`. */
    inherited_tags?: Record<string, string> | undefined;
    /** Runs that must be completed before it starts. */
    depends_on_run_ids?: string[] | undefined;
    /** Its path in the request, for the paths of issues. */
    at?: string;
  };

/** Builds a run from a job and a trigger, or refuses with every issue of the payload. Has no side effects. */
export function prepareRun(job: TriggerableJob, trigger: Trigger): NewRun {
  return runSync(prepareParts(job, trigger));
}

/** The same; a promise if validating and hashing the payload take longer than a slice. */
export function prepareRunInSlices(job: TriggerableJob, trigger: Trigger): NewRun | Promise<NewRun> {
  return runSyncOrInSlices(prepareParts(job, trigger));
}

function* prepareParts(job: TriggerableJob, trigger: Trigger): Generator<void, NewRun> {
  if (!job.enabled) throw new ApiError("job_disabled", "The job is disabled: enable it to trigger it.");
  const payload = trigger.payload ?? {};
  const location = `${trigger.at ?? "body"}.payload`;
  refusePayload(job, payload, location);
  if (isSliceOver()) yield;
  refuseBadRateKeys(job, payload, location);
  const cancel_keys = renderCancelKeys(job.cancel_on, payload, location);
  const merging = yield* deduplication(job, trigger, payload);
  return {
    id: newId(),
    project_id: job.project_id,
    job_id: job.id,
    job_slug: job.slug,
    job_version_id: job.version_id,
    job_revision: job.revision,
    environment_id: trigger.environment_id ?? job.environment_id ?? job.production_id,
    host: laneHost(job.host, job.id, trigger.environment_id ?? job.environment_id ?? job.production_id),
    queue: job.queue,
    is_job_paused: job.is_paused,
    is_job_limited: job.is_limited,
    sole_max_concurrency: job.sole_max_concurrency,
    max_attempts: trigger.max_attempts ?? job.max_attempts,
    timeout_secs: trigger.timeout_secs ?? job.timeout_secs,
    heartbeat_timeout_secs: job.heartbeat_timeout_secs,
    priority: trigger.priority ?? job.priority,
    payload,
    // The job's own object if nothing is added: runs that share it are then recognized by identity.
    metadata: trigger.metadata ? { ...job.default_run_metadata, ...trigger.metadata } : job.default_run_metadata,
    tags: mergeTags("job", job.tags, trigger),
    concurrency_key: trigger.concurrency_key ?? null,
    idempotency_key: trigger.idempotency_key ?? null,
    body_hash: trigger.body_hash ?? null,
    ...merging,
    run_ttl_secs: job.run_ttl_secs,
    batch_id: trigger.batch_id ?? null,
    created_by: trigger.created_by,
    created_by_id: trigger.created_by_id ?? null,
    trigger_type: trigger.trigger_type,
    parent_run_id: trigger.parent_run_id ?? null,
    spawn_depth: trigger.spawn_depth ?? 0,
    replay_of: trigger.replay_of ?? null,
    schedule_id: trigger.schedule_id ?? null,
    workflow_run_id: trigger.workflow_run_id ?? null,
    step_ref: trigger.step_ref ?? null,
    step_generation: trigger.step_generation ?? null,
    parent_outputs: trigger.parent_outputs ?? null,
    awaited_by: trigger.awaited_by ?? null,
    traceparent: trigger.traceparent ?? null,
    is_budgeted: job.is_budgeted,
    estimated_cost_microusd: Math.max(job.estimated_cost_microusd ?? 0, job.compute_rate_microusd_per_sec),
    scheduled_at: trigger.scheduled_at ?? null,
    delay_secs: trigger.delay_secs ?? firstDelay(job, trigger),
    waits_on: readWaitsOn(job, trigger),
    cancel_keys: cancel_keys.length > 0 ? cancel_keys : undefined,
  };
}

function refusePayload(job: TriggerableJob, payload: unknown, location: string): void {
  if (!job.payload_schema) return;
  const errors = schemaIssues(`${job.version_id}/payload`, job.payload_schema, payload, location);
  if (errors.length > 0) throw payloadRefused(errors);
}

function payloadRefused(errors: ProblemError[]): ApiError {
  const named = errors.map(({ location, message }) => `${location}: ${message}`).join("; ");
  return new ApiError("payload_invalid", `The payload does not match the job's payload_schema. ${named}`, { errors });
}

/**
 * A key that cannot be rendered would block the run forever: it is reported now, while there is a caller to receive it.
 */
function refuseBadRateKeys(job: TriggerableJob, payload: unknown, location: string): void {
  for (const { name, key } of job.rate_limit_keys) {
    const rendered = renderText(key, { payload });
    if (rendered.ok) continue;
    const { message } = rendered.problem;
    throw new ApiError(
      "payload_invalid",
      `The key "${key}" of the rate limit "${name}" cannot be rendered: ${message}.`,
      {
        errors: [{ location, message, value: null }],
      },
    );
  }
}

function* deduplication(job: TriggerableJob, trigger: Trigger, payload: unknown) {
  const dedups = job.dedup_window_secs !== null && !isNeverMerged(trigger);
  const debounces = job.debounce_window_secs !== null && !isNeverMerged(trigger);
  const environment_id = trigger.environment_id ?? job.environment_id ?? job.production_id;
  return {
    dedup_hash: dedups ? yield* writeHash(payload) : null,
    dedup_window_secs: dedups ? job.dedup_window_secs : null,
    debounce_key: debounces ? `${job.id}:${environment_id}:${trigger.concurrency_key ?? ""}` : null,
    debounce_window_secs: debounces ? job.debounce_window_secs : null,
  };
}

/** A replay or a step of a workflow is requested individually: it is never merged into another run. */
function isNeverMerged({ trigger_type }: Trigger): boolean {
  return trigger_type === "replay" || trigger_type === "workflow";
}

/** A debounced run waits until the window has passed without another trigger. */
function firstDelay(job: TriggerableJob, trigger: Trigger): number | null {
  return isNeverMerged(trigger) || trigger.scheduled_at ? null : job.debounce_window_secs;
}

/**
 * The dependencies of a new run. Those defined by the job apply only to runs started from outside: steps and spawned
 * runs are ordered by their parent, and might otherwise wait for a run that waits for them. Undefined: none.
 */
function readWaitsOn(job: TriggerableJob, { trigger_type, depends_on_run_ids, at }: Trigger): NewRun["waits_on"] {
  const run_ids = depends_on_run_ids ? [...new Set(depends_on_run_ids)] : [];
  if (run_ids.length > 0 && job.debounce_window_secs !== null) {
    // The trigger may be merged into a run with other dependencies, or none.
    const location = `${at ?? "body"}.depends_on_run_ids`;
    throw invalid(location, "cannot be given for a job with debounce_window_secs: triggers are merged", run_ids);
  }
  const jobs = trigger_type === "workflow" || trigger_type === "spawn" ? [] : job.dependencies;
  return run_ids.length === 0 && jobs.length === 0 ? undefined : { run_ids, jobs };
}
