import type { ProjectCtx } from "../context.ts";
import { type Sql, sql } from "../database/sql.ts";
import { isId } from "../ids.ts";
import { environmentNamed } from "./environments.ts";
import type { Target } from "./policies/decide.ts";
import { visible } from "./policies/visibility.ts";

type TargetTable = { from: Sql; columns: Sql; hasSlug?: boolean };

/** The table of each kind of object, and the columns that policies need. */
const TARGET_TABLES: Record<string, TargetTable> = {
  environment: { from: sql`environments t`, columns: sql`t.id as environment_id`, hasSlug: true },
  api_key: { from: sql`api_keys t`, columns: sql`t.environment_id` },
  job: { from: sql`jobs t`, columns: sql`t.environment_id, t.tags`, hasSlug: true },
  workflow: { from: sql`workflows t`, columns: sql`t.environment_id, t.tags`, hasSlug: true },
  run: { from: sql`runs t`, columns: sql`t.environment_id, t.tags, t.job_id` },
  workflow_run: { from: sql`workflow_runs t`, columns: sql`t.environment_id, t.tags, t.workflow_id` },
  event_trigger: { from: sql`event_triggers t`, columns: sql`t.environment_id` },
  schedule: { from: sql`schedules t`, columns: sql`t.environment_id, t.job_id, t.workflow_id` },
  webhook_delivery: { from: sql`webhook_deliveries t`, columns: sql`t.environment_id` },
  webhook_subscription: { from: sql`webhook_subscriptions t`, columns: sql`t.environment_id` },
  log_drain: { from: sql`log_drains t`, columns: sql`t.environment_id` },
  batch_operation: { from: sql`batch_operations t`, columns: sql`t.environment_id` },
};

/** Returns the object by id or slug, or undefined when it does not exist. */
export async function findTarget(ctx: ProjectCtx, type: string, ref: string): Promise<Target | undefined> {
  const table = TARGET_TABLES[type];
  if (!table || !(isId(ref) || table.hasSlug)) return undefined;
  const { rows } = await sql<Omit<Target, "type">>`
    select t.id, ${table.columns} from ${table.from}
    where t.project_id = ${ctx.project_id} and ${isId(ref) ? sql`t.id = ${ref}` : sql`t.slug = ${ref}`}
      ${isDeletedSoftly(type) ? sql`and t.deleted_at is null` : sql``}`.execute(ctx.db);
  return rows[0] && { type, ...rows[0] };
}

function isDeletedSoftly(type: string): boolean {
  return type === "job" || type === "workflow";
}

/** Returns the id of an environment that the caller can see, by id or slug, for use as a reference. */
export async function findEnvironment(ctx: ProjectCtx, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select e.id from environments e
    where e.project_id = ${ctx.project_id} and ${environmentNamed(ref)} and ${visible(ctx, "environments", "e")}`.execute(
    ctx.db,
  );
  return rows[0]?.id;
}
