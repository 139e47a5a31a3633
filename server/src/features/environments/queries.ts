import { environmentNamed } from "../../platform/access/environments.ts";
import { withAccess } from "../../platform/access/policies/policies.ts";
import { visible, visibleSchedule } from "../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { InUse } from "../../platform/errors/issues.ts";
import type { Page } from "../../platform/listing/page.ts";

export type EnvironmentRow = {
  id: string;
  project_id: string;
  name: string;
  slug: string;
  is_standard: boolean;
  parent_id: string | null;
  variables: Buffer;
  created_at: string;
  updated_at: string;
};

const COLUMNS = sql`e.id, e.project_id, e.name, e.slug, e.is_standard, e.parent_id, e.variables, e.created_at, e.updated_at`;

export async function findEnvironment(ctx: ProjectCtx, ref: string): Promise<EnvironmentRow | undefined> {
  const { rows } = await sql<EnvironmentRow>`
    select ${COLUMNS} from environments e
    where e.project_id = ${ctx.project_id} and ${environmentNamed(ref)} and ${visible(ctx, "environments", "e")}`.execute(
    ctx.db,
  );
  return rows[0];
}

export async function lockEnvironment(
  ctx: ProjectCtx & InTransaction,
  ref: string,
): Promise<EnvironmentRow | undefined> {
  const { rows } = await sql<EnvironmentRow>`
    select ${COLUMNS} from environments e
    where e.project_id = ${ctx.project_id} and ${environmentNamed(ref)} and ${visible(ctx, "environments", "e")}
    for update`.execute(ctx.db);
  return rows[0];
}

export async function listEnvironments(ctx: ProjectCtx, page: Page): Promise<EnvironmentRow[]> {
  const { rows } = await sql<EnvironmentRow>`
    select ${COLUMNS} from environments e
    where e.project_id = ${ctx.project_id} and ${visible(ctx, "environments", "e")} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** The environment and its ancestors, nearest first. Bounded even if the rows contain a cycle. */
export async function listLineage(ctx: ProjectCtx, id: string): Promise<EnvironmentRow[]> {
  const { rows } = await sql<EnvironmentRow>`
    with recursive line as (
      select ${COLUMNS}, 0 as depth from environments e where e.project_id = ${ctx.project_id} and e.id = ${id}
      union all
      select ${COLUMNS}, line.depth + 1 from line
      join environments e on e.project_id = ${ctx.project_id} and e.id = line.parent_id
      where line.depth < 64
    )
    select * from line order by depth`.execute(ctx.db);
  return rows;
}

/** The number of levels of it and its descendants; 1 if it has none or does not exist yet. */
export async function countLevels(ctx: ProjectCtx, id: string): Promise<number> {
  const { rows } = await sql<{ levels: number }>`
    with recursive below as (
      select ${id}::uuid as id, 1 as levels
      union all
      select e.id, below.levels + 1 from below
      join environments e on e.project_id = ${ctx.project_id} and e.parent_id = below.id
      where below.levels < 64
    )
    select max(levels) as levels from below`.execute(ctx.db);
  return rows[0]?.levels ?? 1;
}

/**
 * Serializes changes of parents in one project: two concurrent ones could close a cycle together. Taken before any
 * environment lock: otherwise it deadlocks with the other transaction's foreign key check.
 */
export async function lockParents(ctx: ProjectCtx & InTransaction): Promise<void> {
  await sql`select 1 from projects where id = ${ctx.project_id} for no key update`.execute(ctx.db);
}

export type NewEnvironment = Pick<EnvironmentRow, "id" | "name" | "slug" | "parent_id" | "variables">;

/** Undefined: the slug is taken. */
export async function insertEnvironment(
  ctx: ProjectCtx & InTransaction,
  environment: NewEnvironment,
): Promise<EnvironmentRow | undefined> {
  const { rows } = await sql<EnvironmentRow>`
    insert into environments as e (project_id, id, parent_id, slug, name, variables, created_at, updated_at)
    values (${ctx.project_id}, ${environment.id}, ${environment.parent_id}, ${environment.slug}, ${environment.name},
      ${environment.variables}, clock(), clock())
    on conflict (project_id, slug) do nothing
    returning ${COLUMNS}`.execute(ctx.db);
  return rows[0];
}

export async function updateEnvironmentRow(
  ctx: ProjectCtx & InTransaction,
  environment: EnvironmentRow,
): Promise<EnvironmentRow | undefined> {
  const { rows } = await sql<EnvironmentRow>`
    update environments e set parent_id = ${environment.parent_id}, slug = ${environment.slug}, name = ${environment.name},
      variables = ${environment.variables}, updated_at = clock()
    where e.project_id = ${ctx.project_id} and e.id = ${environment.id}
    returning ${COLUMNS}`.execute(ctx.db);
  return rows[0];
}

export async function deleteEnvironmentRow(ctx: ProjectCtx & InTransaction, id: string): Promise<void> {
  await sql`delete from environments where project_id = ${ctx.project_id} and id = ${id}`.execute(ctx.db);
}

export type Dependent = InUse & {
  kind: "environment" | "API key" | "job" | "workflow" | "schedule" | "webhook subscription" | "run" | "workflow run";
};

/** What prevents its deletion, and whether the caller may read each. */
export async function listDependents(ctx: ProjectCtx, environment_id: string): Promise<Dependent[]> {
  const [environments, keys] = [await withAccess(ctx, "environments:read"), await withAccess(ctx, "api-keys:read")];
  const [jobs, workflows] = [await withAccess(ctx, "jobs:read"), await withAccess(ctx, "workflows:read")];
  const [webhooks, runs] = [await withAccess(ctx, "webhooks:read"), await withAccess(ctx, "runs:read")];
  const { rows } = await sql<Dependent>`
    select 'environment' as kind, e.id, e.name, ${visible(environments, "environments", "e")} as is_readable
    from environments e where e.project_id = ${ctx.project_id} and e.parent_id = ${environment_id}
    union all
    select 'API key', k.id, k.name, ${visible(keys, "api_keys", "k")} from api_keys k
    where k.project_id = ${ctx.project_id} and k.revoked_at is null
      and (k.environment_id = ${environment_id} or ${environment_id} = any(k.worker_environment_ids))
    union all
    select 'job', j.id, j.name, ${visible(jobs, "jobs", "j")} from jobs j
    where j.project_id = ${ctx.project_id} and j.environment_id = ${environment_id} and j.deleted_at is null
    union all
    select 'workflow', w.id, w.name, ${visible(workflows, "workflows", "w")} from workflows w
    where w.project_id = ${ctx.project_id} and w.environment_id = ${environment_id} and w.deleted_at is null
    union all
    select 'schedule', s.id, coalesce(s.name, s.cron), ${visibleSchedule(jobs, "s")} from schedules s
    where s.project_id = ${ctx.project_id} and s.environment_id = ${environment_id}
    union all
    select 'webhook subscription', s.id, s.url, ${visible(webhooks, "webhook_subscriptions", "s")}
    from webhook_subscriptions s where s.project_id = ${ctx.project_id} and s.environment_id = ${environment_id}
    union all
    select 'run', r.id, r.id::text, ${visible(runs, "runs", "r")} from run_queue q
    join runs r on r.project_id = q.project_id and r.id = q.run_id
    where q.project_id = ${ctx.project_id} and r.environment_id = ${environment_id}
    union all
    select 'workflow run', w.id, w.id::text, ${visible(workflows, "workflow_runs", "w")} from workflow_runs w
    where w.project_id = ${ctx.project_id} and w.environment_id = ${environment_id} and w.finished_at is null
    order by kind, name limit 50`.execute(ctx.db);
  return rows;
}
