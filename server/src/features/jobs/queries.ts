import type { Job, JobVersion, ListJobsQuery } from "@millrace/contract/jobs/jobs";
import { ofEnvironment } from "../../platform/access/environments.ts";
import { withAccess } from "../../platform/access/policies/policies.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import type { InUse } from "../../platform/errors/issues.ts";
import { isId } from "../../platform/ids.ts";
import { hasTag } from "../../platform/listing/filters.ts";
import type { Page } from "../../platform/listing/page.ts";

/** A job with its newest version. */
export type JobRow = Omit<Job, "headers"> & { headers: Buffer };

const COLUMNS = sql`j.id, j.project_id, j.slug, j.name, j.description, j.environment_id, j.tags, j.enabled, j.queue, j.paused_at,
  j.max_concurrency, j.max_concurrency_per_key, j.rate_limit_max, j.rate_limit_window_secs, j.rate_limit_keys, j.cron,
  j.timezone, j.cron_overlap_policy, j.dedup_window_secs, j.debounce_window_secs, j.run_ttl_secs, j.priority,
  j.estimated_cost_microusd, j.cancel_on, j.version, j.version_id, j.created_by, j.created_by_id, j.created_at, j.updated_at,
  v.delivery, v.endpoint_url, v.headers, v.timeout_secs, v.heartbeat_timeout_secs, v.unreachable_timeout_secs, v.max_attempts,
  v.retry_strategy, v.retry_delays_secs, v.default_run_metadata, v.payload_schema, v.result_schema, v.max_cost_microusd,
  v.on_failure_job_id`;

const JOBS = sql`jobs j join job_versions v on v.project_id = j.project_id and v.id = j.version_id`;

function named(ref: string): Sql {
  return isId(ref) ? sql`j.id = ${ref}` : sql`j.slug = ${ref}`;
}

export async function findJob(ctx: ProjectCtx, ref: string): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    select ${COLUMNS} from ${JOBS}
    where j.project_id = ${ctx.project_id} and ${named(ref)} and j.deleted_at is null
      and ${visible(ctx, "jobs", "j")}`.execute(ctx.db);
  return rows[0];
}

/** Serializes changes of a job: the second sees the result of the first. */
export function lockJob(ctx: ProjectCtx & InTransaction, ref: string): Promise<JobRow | undefined> {
  return findLocked(ctx, ref, sql`for no key update`);
}

/** Waits for shared locks on the job too. */
export function lockJobToDelete(ctx: ProjectCtx & InTransaction, ref: string): Promise<JobRow | undefined> {
  return findLocked(ctx, ref, sql`for update`);
}

/**
 * Read after the lock: the statement that waited for it would join the new job with the old versions in its snapshot.
 */
async function findLocked(ctx: ProjectCtx, ref: string, lock: Sql): Promise<JobRow | undefined> {
  const { rows } = await sql<{ id: string }>`
    select j.id from jobs j
    where j.project_id = ${ctx.project_id} and ${named(ref)} and j.deleted_at is null and ${visible(ctx, "jobs", "j")}
    ${lock}`.execute(ctx.db);
  return rows[0] && findJob(ctx, rows[0].id);
}

type JobFilter = Pick<ListJobsQuery, "tag" | "enabled" | "environment_id" | "queue">;

export async function listJobs(ctx: ProjectCtx, page: Page, filter: JobFilter): Promise<JobRow[]> {
  const { rows } = await sql<JobRow>`
    select ${COLUMNS} from ${JOBS}
    where j.project_id = ${ctx.project_id} and j.deleted_at is null and ${visible(ctx, "jobs", "j")}
      ${wanted(ctx, filter)} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

function wanted(ctx: ProjectCtx, { tag, enabled, environment_id, queue }: JobFilter): Sql {
  return sql`
    ${tag === undefined ? sql`` : sql`and ${hasTag("j", tag)}`}
    ${enabled === undefined ? sql`` : sql`and j.enabled = ${enabled}`}
    ${queue === undefined ? sql`` : sql`and j.queue = ${queue}`}
    ${ofEnvironment(ctx, "j", environment_id)}`;
}

/** Locked until the commit, so that it is not deleted meanwhile. */
export async function holdJob(ctx: ProjectCtx & InTransaction, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select j.id from jobs j
    where j.project_id = ${ctx.project_id} and ${named(ref)} and j.deleted_at is null and ${visible(ctx, "jobs", "j")}
    for key share`.execute(ctx.db);
  return rows[0]?.id;
}

export type Dependent = InUse & { kind: "job" | "workflow"; is_step: boolean };

/**
 * The jobs and workflows that trigger it when their runs fail, and those with it as a step. Says which the caller may
 * read.
 */
export async function listDependents(ctx: ProjectCtx, id: string): Promise<Dependent[]> {
  const [jobs, workflows] = [await withAccess(ctx, "jobs:read"), await withAccess(ctx, "workflows:read")];
  const asStep = JSON.stringify([{ job_id: id }]);
  const asCompensation = JSON.stringify([{ compensate_job_id: id }]);
  const { rows } = await sql<Dependent>`
    select 'job' as kind, j.id, j.name, false as is_step, ${visible(jobs, "jobs", "j")} as is_readable from ${JOBS}
    where j.project_id = ${ctx.project_id} and v.on_failure_job_id = ${id} and j.id <> ${id} and j.deleted_at is null
    union all
    select 'workflow', w.id, w.name, bool_or(v.steps @> ${asStep}::jsonb or v.steps @> ${asCompensation}::jsonb),
      bool_and(${visible(workflows, "workflows", "w")})
    from workflows w
    left join canaries c on c.project_id = w.project_id and c.workflow_id = w.id and c.status = 'active'
    join workflow_versions v on v.project_id = w.project_id and v.id in (w.version_id, c.target_version_id)
    where w.project_id = ${ctx.project_id} and w.deleted_at is null
      and (w.on_failure_job_id = ${id} or v.steps @> ${asStep}::jsonb or v.steps @> ${asCompensation}::jsonb)
    group by w.id, w.name
    order by name, id limit 50`.execute(ctx.db);
  return rows;
}

/** False resumes it. The caller checks whether this is a change. */
export async function setPaused(ctx: ProjectCtx & InTransaction, id: string, isPaused: boolean): Promise<void> {
  await sql`
    update jobs set paused_at = case when ${isPaused}::boolean then clock() end, revision = revision + 1,
      updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${id} and deleted_at is null`.execute(ctx.db);
}

/** Frees its slug and its environment; queued runs continue even if it was paused. */
export async function markDeleted(ctx: ProjectCtx & InTransaction, id: string): Promise<void> {
  await sql`
    update jobs set deleted_at = clock(), environment_id = null, paused_at = null, cron = null,
      revision = revision + 1, updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${id} and deleted_at is null`.execute(ctx.db);
}

export type VersionRow = Omit<JobVersion, "headers"> & { headers: Buffer };

const VERSION_COLUMNS = sql`v.id, v.project_id, v.job_id, v.version, v.delivery, v.endpoint_url, v.headers, v.timeout_secs,
  v.heartbeat_timeout_secs, v.unreachable_timeout_secs, v.max_attempts, v.retry_strategy, v.retry_delays_secs,
  v.default_run_metadata, v.payload_schema, v.result_schema, v.max_cost_microusd, v.on_failure_job_id, v.created_by, v.created_by_id, v.created_at`;

/** Only for a job that the caller may see. */
export async function findVersion(ctx: ProjectCtx, job_id: string, id: string): Promise<VersionRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<VersionRow>`
    select ${VERSION_COLUMNS} from job_versions v
    where v.project_id = ${ctx.project_id} and v.job_id = ${job_id} and v.id = ${id}`.execute(ctx.db);
  return rows[0];
}

export async function listVersions(ctx: ProjectCtx, job_id: string, page: Page): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select ${VERSION_COLUMNS} from job_versions v
    where v.project_id = ${ctx.project_id} and v.job_id = ${job_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}
