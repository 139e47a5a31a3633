import type { ListWorkflowsQuery, Workflow } from "@millrace/contract/workflows/workflows";
import { ofEnvironment } from "../../platform/access/environments.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { Ctx, InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import { hasTag } from "../../platform/listing/filters.ts";
import type { Page } from "../../platform/listing/page.ts";
import type { RemovedPage } from "../../platform/retention/retention-entry.ts";

/** A workflow with the version that new runs use. */
export type WorkflowRow = Omit<Workflow, "$schema">;

const COLUMNS = sql`w.id, w.project_id, w.slug, w.name, w.description, w.environment_id, w.tags, w.enabled,
  w.max_concurrent_runs, w.cron, w.timezone, w.cron_overlap_policy, w.on_failure_job_id, w.cancel_on, w.version,
  w.version_id, w.current_version, (
    select c.id from canaries c where c.project_id = w.project_id and c.workflow_id = w.id
    order by c.created_at desc, c.id desc limit 1
  ) as canary_id, w.created_by, w.created_by_id, w.created_at, w.updated_at, v.steps, v.timeout_secs,
  v.max_parallel_steps, v.payload_schema`;

const WORKFLOWS = sql`workflows w join workflow_versions v on v.project_id = w.project_id and v.id = w.version_id`;

function named(ref: string): Sql {
  return isId(ref) ? sql`w.id = ${ref}` : sql`w.slug = ${ref}`;
}

export async function findWorkflow(ctx: ProjectCtx, ref: string): Promise<WorkflowRow | undefined> {
  const { rows } = await sql<WorkflowRow>`
    select ${COLUMNS} from ${WORKFLOWS}
    where w.project_id = ${ctx.project_id} and ${named(ref)} and w.deleted_at is null
      and ${visible(ctx, "workflows", "w")}`.execute(ctx.db);
  return rows[0];
}

/** The second of two concurrent changes waits, and then sees the first. */
export function lockWorkflow(ctx: ProjectCtx & InTransaction, ref: string): Promise<WorkflowRow | undefined> {
  return findLocked(ctx, ref, sql`for no key update`);
}

/** Also waits for transactions that hold a share lock on the workflow. */
export function lockWorkflowToDelete(ctx: ProjectCtx & InTransaction, ref: string): Promise<WorkflowRow | undefined> {
  return findLocked(ctx, ref, sql`for update`);
}

/** Read after the lock: a statement that waited for it would join the new row with the versions of its old snapshot. */
async function findLocked(ctx: ProjectCtx, ref: string, lock: Sql): Promise<WorkflowRow | undefined> {
  const { rows } = await sql<{ id: string }>`
    select w.id from workflows w
    where w.project_id = ${ctx.project_id} and ${named(ref)} and w.deleted_at is null
      and ${visible(ctx, "workflows", "w")}
    ${lock}`.execute(ctx.db);
  return rows[0] && findWorkflow(ctx, rows[0].id);
}

type WorkflowFilter = Pick<ListWorkflowsQuery, "tag" | "enabled" | "environment_id">;

export async function listWorkflows(ctx: ProjectCtx, page: Page, filter: WorkflowFilter): Promise<WorkflowRow[]> {
  const { rows } = await sql<WorkflowRow>`
    select ${COLUMNS} from ${WORKFLOWS}
    where w.project_id = ${ctx.project_id} and w.deleted_at is null and ${visible(ctx, "workflows", "w")}
      ${wanted(ctx, filter)} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

function wanted(ctx: ProjectCtx, { tag, enabled, environment_id }: WorkflowFilter): Sql {
  return sql`
    ${tag === undefined ? sql`` : sql`and ${hasTag("w", tag)}`}
    ${enabled === undefined ? sql`` : sql`and w.enabled = ${enabled}`}
    ${ofEnvironment(ctx, "w", environment_id)}`;
}

/** Releases its slug and its environment. */
export async function markDeleted(ctx: ProjectCtx & InTransaction, id: string): Promise<void> {
  await sql`
    update workflows set deleted_at = clock(), environment_id = null, cron = null, revision = revision + 1,
      updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${id} and deleted_at is null`.execute(ctx.db);
}

/**
 * Purges deleted workflows that no run references anymore, with their versions. Not within a minute: a trigger that read
 * the workflow before may not have committed its run yet.
 */
export async function removeDeletedWorkflows(ctx: Ctx, page: number): Promise<RemovedPage> {
  const { rows } = await sql`
    with gone as (
      delete from workflows where (project_id, id) in (
        select w.project_id, w.id from workflows w
        where w.deleted_at < clock() - interval '1 minute'
          and not exists (select 1 from workflow_runs r where r.project_id = w.project_id and r.workflow_id = w.id offset 0)
        limit ${page})
      returning project_id, id
    ),
    versions as (
      delete from workflow_versions v using gone g where v.project_id = g.project_id and v.workflow_id = g.id
    )
    select id from gone`.execute(ctx.db);
  return { removed: rows.length, more: rows.length === page };
}

export async function getWorkflow(ctx: ProjectCtx, ref: string): Promise<Workflow> {
  const row = await findWorkflow(ctx, ref);
  if (!row) throw notFound("workflow");
  return row;
}
