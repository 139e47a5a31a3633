import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { isId } from "../../../platform/ids.ts";
import { perService } from "../../../platform/service-state.ts";

/** Everything about a workflow that the creation of a run depends on, as of one revision. */
export type TriggerableWorkflow = {
  project_id: string;
  id: string;
  revision: number;
  version_id: string;
  current_version: number;
  environment_id: string | null;
  production_id: string;
  tags: Record<string, string>;
  enabled: boolean;
  /** It limits its concurrent runs. */
  is_limited: boolean;
  /** The active one. It routes its share of the runs to its target; the others take the current version. */
  canary: { id: string; traffic_pct: number; target_version_id: string } | null;
  /** Templates of the events that cancel its runs. */
  cancel_on: { event_key: string }[];
};

const MAX_CACHED = 5_000;
const cacheOf = perService(() => new LRUCache<string, TriggerableWorkflow>({ max: MAX_CACHED }));

/**
 * The workflow as this instance last read it. It may be stale: starting compares the revision and refuses runs prepared
 * from an older one, so a cached workflow does no harm.
 */
export async function findCachedWorkflow(
  ctx: Ctx,
  project_id: string,
  ref: string,
): Promise<TriggerableWorkflow | undefined> {
  return cacheOf(ctx).get(`${project_id}/${ref}`) ?? findTriggerableWorkflow(ctx, project_id, ref);
}

/** By id or slug, uncached. */
export async function findTriggerableWorkflow(
  ctx: Ctx,
  project_id: string,
  ref: string,
): Promise<TriggerableWorkflow | undefined> {
  const [workflow] = await readWorkflows(ctx, project_id, isId(ref) ? sql`w.id = ${ref}` : sql`w.slug = ${ref}`);
  if (workflow) cacheOf(ctx).set(`${project_id}/${ref}`, workflow);
  else cacheOf(ctx).delete(`${project_id}/${ref}`);
  return workflow;
}

/** Many at once, by id, uncached. */
export async function findTriggerableWorkflows(
  ctx: Ctx,
  project_id: string,
  ids: readonly string[],
): Promise<Map<string, TriggerableWorkflow>> {
  if (ids.length === 0) return new Map();
  const workflows = await readWorkflows(ctx, project_id, sql`w.id = any(${[...ids]}::uuid[])`);
  return new Map(workflows.map((workflow) => [workflow.id, workflow]));
}

async function readWorkflows(ctx: Ctx, project_id: string, named: Sql): Promise<TriggerableWorkflow[]> {
  const { rows } = await sql<TriggerableWorkflow>`
    select w.project_id, w.id, w.revision, w.version_id, w.current_version, w.environment_id, e.id as production_id,
      w.tags, w.enabled, w.max_concurrent_runs is not null as is_limited, w.cancel_on,
      case when c.id is not null then json_build_object(
        'id', c.id, 'traffic_pct', c.traffic_pct, 'target_version_id', c.target_version_id) end as canary
    from workflows w
    join environments e on e.project_id = w.project_id and e.slug = 'production'
    left join canaries c on c.project_id = w.project_id and c.workflow_id = w.id and c.status = 'active'
    where w.project_id = ${project_id} and ${named} and w.deleted_at is null`.execute(ctx.db);
  return rows;
}
