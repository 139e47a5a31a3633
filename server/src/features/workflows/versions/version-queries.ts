import type { ActiveVersion, VersionImpact } from "@millrace/contract/workflows/workflow-versions";
import type { WorkflowVersion } from "@millrace/contract/workflows/workflows";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { invalid, notFound } from "../../../platform/errors/errors.ts";
import { isId } from "../../../platform/ids.ts";
import type { Page } from "../../../platform/listing/page.ts";
import { getWorkflow } from "../queries.ts";

export type VersionRow = Omit<WorkflowVersion, "$schema">;
type ActiveRow = ActiveVersion & { id: string };

const COLUMNS = sql`v.id, v.project_id, v.workflow_id, v.version, v.steps, v.timeout_secs, v.max_parallel_steps,
  v.payload_schema, v.breaking_change, v.approved_by, v.created_by, v.created_by_id, v.created_at`;

/** Of a workflow that the caller may see. */
export async function findVersion(ctx: ProjectCtx, workflow_id: string, id: string): Promise<VersionRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<VersionRow>`
    select ${COLUMNS} from workflow_versions v
    where v.project_id = ${ctx.project_id} and v.workflow_id = ${workflow_id} and v.id = ${id}`.execute(ctx.db);
  return rows[0];
}

export async function listVersions(ctx: ProjectCtx, workflow_id: string, page: Page): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select ${COLUMNS} from workflow_versions v
    where v.project_id = ${ctx.project_id} and v.workflow_id = ${workflow_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** Null: it was created before authors were recorded. */
export async function findAuthor(ctx: ProjectCtx, id: string): Promise<string | null> {
  const { rows } = await sql<{ author: string | null }>`
    select author from workflow_versions where project_id = ${ctx.project_id} and id = ${id}`.execute(ctx.db);
  return rows[0]?.author ?? null;
}

/** The first approver stays. */
export async function approveVersion(ctx: ProjectCtx & InTransaction, id: string): Promise<void> {
  await sql`
    update workflow_versions set approved_by = ${ctx.caller.name}, approved_at = clock()
    where project_id = ${ctx.project_id} and id = ${id} and approved_by is null`.execute(ctx.db);
}

/** Versions with runs in flight that the caller may see, and how many. */
export async function listActiveVersions(ctx: ProjectCtx, workflow_id: string, page: Page): Promise<ActiveRow[]> {
  const { rows } = await sql<ActiveRow>`
    select v.id, v.id as version_id, v.version, v.id = w.version_id as is_current, v.created_at, r.*
    from workflow_versions v
    join workflows w on w.project_id = v.project_id and w.id = v.workflow_id
    join lateral (
      select count(*)::int as active_runs, count(*) filter (where r.status = 'pending')::int as pending,
        count(*) filter (where r.status = 'running')::int as running,
        count(*) filter (where r.status = 'paused')::int as paused
      from workflow_runs r
      where r.project_id = v.project_id and r.workflow_id = v.workflow_id and r.version_id = v.id
        and r.finished_at is null and ${visible(ctx, "workflow_runs", "r")}
    ) r on r.active_runs > 0
    where v.project_id = ${ctx.project_id} and v.workflow_id = ${workflow_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export type Impact = Pick<VersionImpact, "sampled_runs" | "matching_runs" | "active_matching_runs">;

/** The runs of one version among the newest runs of the workflow, up to a bound. */
export async function countImpact(ctx: ProjectCtx, { workflow_id, id }: VersionRow, max: number): Promise<Impact> {
  const { rows } = await sql<Impact>`
    select count(*)::int as sampled_runs, count(*) filter (where s.version_id = ${id})::int as matching_runs,
      count(*) filter (where s.version_id = ${id} and s.finished_at is null)::int as active_matching_runs
    from (
      select r.version_id, r.finished_at from workflow_runs r
      where r.project_id = ${ctx.project_id} and r.workflow_id = ${workflow_id}
        and ${visible(ctx, "workflow_runs", "r")}
      order by r.id desc limit ${max}
    ) s`.execute(ctx.db);
  return rows[0] ?? { sampled_runs: 0, matching_runs: 0, active_matching_runs: 0 };
}

export async function getWorkflowVersion(ctx: ProjectCtx, ref: string, version_id: string): Promise<WorkflowVersion> {
  const { id } = await getWorkflow(ctx, ref);
  const row = await findVersion(ctx, id, version_id);
  if (!row) throw notFound("version of the workflow");
  return row;
}

/** The requested version; the current one by default. */
export async function requestedVersion(
  ctx: ProjectCtx,
  ref: string,
  requested: string | undefined,
): Promise<VersionRow> {
  const { id, version_id } = await getWorkflow(ctx, ref);
  if (requested === undefined) return getWorkflowVersion(ctx, id, version_id);
  const version = await findVersion(ctx, id, requested);
  if (!version) throw invalid("body.version_id", "is not a version of this workflow", requested);
  return version;
}
