import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";
import { readPullLane } from "../claim/pull-lanes.ts";

/** What workers' claims need from a project: its queues, and the jobs whose runs workers claim. */
export type PullCatalog = {
  queues: ReadonlyMap<string, { weight: number; is_paused: boolean }>;
  /** By id. A job that is pushed now may have older runs for workers. */
  jobs: ReadonlyMap<string, { slug: string; queue: string }>;
};

const FRESH_MS = 1_000; // a paused queue or a moved job takes effect everywhere within a second
const MAX_CACHED = 5_000;

type Cached = { reading: Promise<PullCatalog>; readAt: number; newest?: PullCatalog };
const cacheOf = perService(() => new LRUCache<string, Cached>({ max: MAX_CACHED }));

/** Read once a second at most, and only while workers of the project claim. */
export function findCatalog(ctx: Ctx, project_id: string, newerThanMs = 0): Promise<PullCatalog> {
  const cached = cacheOf(ctx).get(project_id);
  if (cached && performance.now() - cached.readAt < FRESH_MS && cached.readAt >= newerThanMs) return cached.reading;
  const fresh: Cached = { reading: readCatalog(ctx, project_id), readAt: performance.now() };
  if (cached?.newest) fresh.newest = cached.newest;
  cacheOf(ctx).set(project_id, fresh);
  fresh.reading.then(
    (catalog) => {
      fresh.newest = catalog;
    },
    () => cacheOf(ctx).delete(project_id),
  );
  return fresh.reading;
}

/** Whether the worker may serve a lane, according to this instance's cache: a claim detects a new job. */
export function mayServe(ctx: Ctx, project_id: string, serves: Serves, host: string): boolean {
  const catalog = cacheOf(ctx).get(project_id)?.newest;
  return !catalog || !isKnown(catalog, host) || servedQueue(catalog, serves, host) !== undefined;
}

export function isKnown({ jobs }: PullCatalog, host: string): boolean {
  return jobs.has(readPullLane(host)?.job_id ?? "");
}

async function readCatalog(ctx: Ctx, project_id: string): Promise<PullCatalog> {
  const [queues, jobs] = await Promise.all([
    sql<{ name: string; weight: number; is_paused: boolean }>`
      /* prepared */
      select name, weight, paused_at is not null as is_paused from queues where project_id = ${project_id}`.executeTogether(
      ctx.db,
    ),
    sql<{ id: string; slug: string; queue: string }>`
      /* prepared */
      select distinct j.id, j.slug, j.queue from job_versions v
      join jobs j on j.project_id = v.project_id and j.id = v.job_id
      where v.project_id = ${project_id} and v.delivery = 'pull'`.executeTogether(ctx.db),
  ]);
  return {
    queues: new Map(queues.rows.map(({ name, ...queue }) => [name, queue])),
    jobs: new Map(jobs.rows.map(({ id, ...job }) => [id, job])),
  };
}

/** What a worker serves. Undefined or null: all. */
export type Serves = {
  queues: ReadonlySet<string> | undefined;
  /** Those its key may serve, of which a claim may name some. */
  keyQueues: readonly string[] | null;
  /** Ids or slugs. */
  jobs: ReadonlySet<string> | undefined;
  /** Ids. */
  environments: ReadonlySet<string> | undefined;
};

/** Equal for claims that may serve the same lanes; with `key`, for claims of keys that may. */
export function scopeOf({ queues, keyQueues, jobs, environments }: Serves, part: "all" | "key"): string {
  const listOf = (names: ReadonlySet<string> | undefined) => names && [...names];
  const ofKey = [keyQueues, listOf(environments)];
  return JSON.stringify(part === "key" ? ofKey : [...ofKey, listOf(queues), listOf(jobs)]);
}

/** The queue of a lane that the worker serves. Undefined: it does not serve it, or the queue is paused. */
export function servedQueue({ jobs, queues }: PullCatalog, serves: Serves, host: string): string | undefined {
  const job = jobs.get(readPullLane(host)?.job_id ?? "");
  return job && !queues.get(job.queue)?.is_paused && servesJob(serves, host, job) ? job.queue : undefined;
}

/** `host`: a lane of the job. */
export function servesJob(serves: Serves, host: string, job: { slug: string; queue: string }): boolean {
  const lane = readPullLane(host);
  if (!lane) return false;
  if (serves.environments && !serves.environments.has(lane.environment_id)) return false;
  if (serves.queues && !serves.queues.has(job.queue)) return false;
  return !serves.jobs || serves.jobs.has(job.slug) || serves.jobs.has(lane.job_id);
}
