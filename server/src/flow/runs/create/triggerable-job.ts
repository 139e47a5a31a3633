import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { isId } from "../../../platform/ids.ts";
import { perService } from "../../../platform/service-state.ts";
import type { JobDependency } from "./new-run.ts";

/** Everything about a job that the creation of a run depends on, as of one revision. */
export type TriggerableJob = {
  project_id: string;
  id: string;
  slug: string;
  revision: number;
  version_id: string;
  environment_id: string | null;
  queue: string;
  production_id: string;
  tags: Record<string, string>;
  enabled: boolean;
  is_paused: boolean;
  /** It or its queue has limits, or its queue is paused. */
  is_limited: boolean;
  /** Its `max_concurrency`, if that is its only limit. */
  sole_max_concurrency: number | null;
  rate_limit_max: number | null;
  rate_limit_keys: { name: string; key: string }[];
  dedup_window_secs: number | null;
  debounce_window_secs: number | null;
  run_ttl_secs: number | null;
  priority: number;
  estimated_cost_microusd: number | null;
  /** Its project has a blocking budget. */
  is_budgeted: boolean;
  compute_rate_microusd_per_sec: number;
  host: string;
  timeout_secs: number;
  heartbeat_timeout_secs: number;
  max_attempts: number;
  default_run_metadata: Record<string, unknown>;
  payload_schema: object | null;
  /** The jobs on whose newest active run a new run depends. */
  dependencies: JobDependency[];
  /** Templates of the events that cancel its runs. */
  cancel_on: { event_key: string }[];
};

const MAX_CACHED_JOBS = 5_000;
const cacheOf = perService(() => new LRUCache<string, TriggerableJob>({ max: MAX_CACHED_JOBS }));

/**
 * The job as this instance last read it. It may be stale: enqueueing compares the revision and refuses runs prepared
 * from an older one, so a cached job does no harm.
 */
export function findCachedJob(
  ctx: Ctx,
  project_id: string,
  ref: string,
): TriggerableJob | Promise<TriggerableJob | undefined> {
  return cacheOf(ctx).get(`${project_id}/${ref}`) ?? findTriggerableJob(ctx, project_id, ref);
}

/** By id or slug, uncached. */
export async function findTriggerableJob(
  ctx: Ctx,
  project_id: string,
  ref: string,
): Promise<TriggerableJob | undefined> {
  const [job] = await readJobs(ctx, project_id, isId(ref) ? sql`j.id = ${ref}` : sql`j.slug = ${ref}`);
  if (job) cacheOf(ctx).set(`${project_id}/${ref}`, job);
  else cacheOf(ctx).delete(`${project_id}/${ref}`);
  return job;
}

/** Many at once, by id, uncached. */
export async function findTriggerableJobs(
  ctx: Ctx,
  project_id: string,
  ids: readonly string[],
): Promise<Map<string, TriggerableJob>> {
  if (ids.length === 0) return new Map();
  const jobs = await readJobs(ctx, project_id, sql`j.id = any(${[...ids]}::uuid[])`);
  return new Map(jobs.map((job) => [job.id, job]));
}

async function readJobs(ctx: Ctx, project_id: string, named: Sql): Promise<TriggerableJob[]> {
  const { rows } = await sql<TriggerableJob>`
    /* prepared */
    select j.project_id, j.id, j.slug, j.revision, j.version_id, j.environment_id, j.queue, e.id as production_id, j.tags, j.enabled,
      j.paused_at is not null as is_paused, j.is_limited or j.queue_needs_check as is_limited, case when j.max_concurrency_per_key is null and not j.queue_needs_check
        and j.rate_limit_max is null and j.rate_limit_keys = '[]' then j.max_concurrency end as sole_max_concurrency, j.rate_limit_max, j.rate_limit_keys, j.dedup_window_secs,
      j.debounce_window_secs, j.run_ttl_secs, j.priority, j.estimated_cost_microusd, p.compute_rate_microusd_per_sec,
      coalesce(b.action = 'block', false) as is_budgeted, v.host, v.timeout_secs,
      v.heartbeat_timeout_secs, v.max_attempts, v.default_run_metadata, v.payload_schema, coalesce((
        select jsonb_agg(jsonb_build_object('job_id', d.depends_on_job_id, 'condition', d.condition) order by d.depends_on_job_id)
        from job_dependencies d where d.project_id = j.project_id and d.job_id = j.id), '[]') as dependencies, j.cancel_on
    from jobs j
    join job_versions v on v.project_id = j.project_id and v.id = j.version_id
    join projects p on p.id = j.project_id
    left join project_budgets b on b.project_id = j.project_id
    join environments e on e.project_id = j.project_id and e.slug = 'production'
    where j.project_id = ${project_id} and ${named} and j.deleted_at is null`.execute(ctx.db);
  return rows;
}
