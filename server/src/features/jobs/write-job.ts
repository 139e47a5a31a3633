import type { Job } from "@millrace/contract/jobs/jobs";
import { PULL_HOST } from "../../flow/runs/claim/pull-lanes.ts";
import { keepDefaultSchedule } from "../../flow/schedules/keep-default-schedule.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import type { JobRow } from "./queries.ts";

type WrittenJob = Omit<JobRow, "project_id" | "paused_at" | "created_at" | "updated_at">;

/** Undefined: the slug is taken. */
export async function insertJob(ctx: ProjectCtx & InTransaction, job: WrittenJob): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into jobs (project_id, id, slug, name, description, environment_id, tags, enabled, queue, queue_needs_check, max_concurrency,
      max_concurrency_per_key, rate_limit_max, rate_limit_window_secs, rate_limit_keys, cron, timezone,
      cron_overlap_policy, dedup_window_secs, debounce_window_secs, run_ttl_secs, priority, estimated_cost_microusd,
      cancel_on, version, version_id, created_by, created_by_id, created_at, updated_at)
    select ${ctx.project_id}, ${job.id}, ${job.slug}, ${job.name}, ${job.description}, ${job.environment_id},
      ${JSON.stringify(job.tags)}, ${job.enabled}, ${job.queue}, ${queueNeedsCheck(ctx, job)}, ${job.max_concurrency}, ${job.max_concurrency_per_key},
      ${job.rate_limit_max}, ${job.rate_limit_window_secs}, ${JSON.stringify(job.rate_limit_keys)}, ${job.cron},
      ${job.timezone}, ${job.cron_overlap_policy}, ${job.dedup_window_secs}, ${job.debounce_window_secs},
      ${job.run_ttl_secs}, ${job.priority}, ${job.estimated_cost_microusd}, ${JSON.stringify(job.cancel_on)},
      ${job.version}, ${job.version_id}, ${job.created_by}, ${job.created_by_id}, clock(), clock()
    on conflict (project_id, slug) where deleted_at is null do nothing
    returning id`.execute(ctx.db);
  return rows[0];
}

export async function updateJobRow(ctx: ProjectCtx & InTransaction, job: WrittenJob): Promise<void> {
  await sql`
    update jobs set slug = ${job.slug}, name = ${job.name}, description = ${job.description},
      environment_id = ${job.environment_id}, tags = ${JSON.stringify(job.tags)}, enabled = ${job.enabled},
      queue = ${job.queue}, queue_needs_check = case when queue = ${job.queue} then queue_needs_check else ${queueNeedsCheck(ctx, job)} end,
      max_concurrency = ${job.max_concurrency}, max_concurrency_per_key = ${job.max_concurrency_per_key},
      rate_limit_max = ${job.rate_limit_max}, rate_limit_window_secs = ${job.rate_limit_window_secs},
      rate_limit_keys = ${JSON.stringify(job.rate_limit_keys)}, cron = ${job.cron}, timezone = ${job.timezone},
      cron_overlap_policy = ${job.cron_overlap_policy}, dedup_window_secs = ${job.dedup_window_secs},
      debounce_window_secs = ${job.debounce_window_secs}, run_ttl_secs = ${job.run_ttl_secs},
      priority = ${job.priority}, estimated_cost_microusd = ${job.estimated_cost_microusd},
      cancel_on = ${JSON.stringify(job.cancel_on)}, version = ${job.version}, version_id = ${job.version_id},
      revision = revision + 1, updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${job.id} and deleted_at is null`.execute(ctx.db);
}

export async function insertVersion(ctx: ProjectCtx & InTransaction, job: WrittenJob): Promise<void> {
  await sql`
    insert into job_versions (project_id, id, job_id, version, delivery, endpoint_url, host, headers, timeout_secs,
      heartbeat_timeout_secs, unreachable_timeout_secs, max_attempts, retry_strategy, retry_delays_secs, default_run_metadata, payload_schema,
      result_schema, max_cost_microusd, on_failure_job_id, created_by, created_by_id, created_at)
    values (${ctx.project_id}, ${job.version_id}, ${job.id}, ${job.version}, ${job.delivery}, ${job.endpoint_url},
      ${hostOf(job)}, ${job.headers}, ${job.timeout_secs}, ${job.heartbeat_timeout_secs},
      ${job.unreachable_timeout_secs}, ${job.max_attempts}, ${job.retry_strategy}, ${job.retry_delays_secs},
      ${JSON.stringify(job.default_run_metadata)}, ${asJson(job.payload_schema)}, ${asJson(job.result_schema)},
      ${job.max_cost_microusd}, ${job.on_failure_job_id}, ${ctx.caller.name}, ${actorOf(ctx.caller).id}, clock())`.execute(
    ctx.db,
  );
}

/** Runs for workers queue per job and environment: see `pull-lanes.ts`. */
function hostOf({ endpoint_url }: WrittenJob): string {
  return endpoint_url === null ? PULL_HOST : new URL(endpoint_url).host;
}

/** Read under the lock of the queue, which the caller holds: a change of the queue sees the job, or the job sees it. */
function queueNeedsCheck({ project_id }: ProjectCtx, { queue }: WrittenJob): Sql<boolean> {
  return sql`coalesce((
    select q.max_concurrency is not null or q.rate_limit_max is not null or q.paused_at is not null
    from queues q where q.project_id = ${project_id} and q.name = ${queue}), false)`;
}

function asJson(value: object | null): string | null {
  return value && JSON.stringify(value);
}

type JobTimes = Pick<Job, "id" | "cron" | "timezone" | "cron_overlap_policy">;

/** The job's own cron is its default schedule. */
export function keepSchedule(tx: ProjectCtx & InTransaction, job: JobTimes): Promise<void> {
  const { id: job_id, cron, timezone, cron_overlap_policy: overlap_policy } = job;
  const { project_id, caller } = tx;
  return keepDefaultSchedule(tx, { project_id, job_id, cron, timezone, overlap_policy, ...createdBy(actorOf(caller)) });
}
