import type { ErrorIssue, ListErrorIssuesQuery } from "@millrace/contract/alerts/error-issues";
import { ofEnvironment } from "../../../platform/access/environments.ts";
import { withDeniesToo } from "../../../platform/access/policies/policies.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { isId } from "../../../platform/ids.ts";
import type { Page } from "../../../platform/listing/page.ts";

export type IssueRow = Omit<ErrorIssue, "$schema" | "trend">;

/** Access to an issue is decided as for a run of its job with the job's tags. */
export function openIssues(ctx: ProjectCtx): Promise<ProjectCtx> {
  return withDeniesToo(ctx, "runs:read");
}

function seen(reader: ProjectCtx): Sql {
  return sql`exists (
    select 1 from (
      select g.job_id as id, g.project_id, g.job_id, g.environment_id, null::uuid as workflow_id,
        null::uuid as workflow_run_id, null::uuid as job_run_id,
        coalesce((select j.tags from jobs j where j.project_id = g.project_id and j.id = g.job_id), '{}') as tags
    ) u where ${visible(reader, "runs", "u")})`;
}

function columns(reader: ProjectCtx): Sql {
  return sql`g.id, g.project_id, g.status, g.assigned_to, g.message, g.code, g.http_status, g.job_id,
    (select j.slug from jobs j where j.project_id = g.project_id and j.id = g.job_id) as job_slug, g.step_ref,
    g.environment_id, g.fingerprint, array(
      select r.id::text from unnest(g.run_ids) with ordinality as s(id, nth)
      join runs r on r.project_id = g.project_id and r.id = s.id and ${visible(reader, "runs", "r")}
      order by s.nth) as sample_run_ids,
    g.first_seen_at, g.last_seen_at, g.opened_at, g.resolved_at, g.reopened_count`;
}

export async function findIssue(reader: ProjectCtx, id: string): Promise<IssueRow> {
  const { rows } = await sql<IssueRow>`
    select ${columns(reader)} from error_groups g
    where g.project_id = ${reader.project_id} and g.id = ${isId(id) ? id : null} and ${seen(reader)}`.execute(
    reader.db,
  );
  if (!rows[0]) throw notFound("error issue");
  return rows[0];
}

export async function listIssues(
  reader: ProjectCtx,
  page: Page<"last_seen_at">,
  query: ListErrorIssuesQuery,
  job_ids: readonly string[] | undefined,
): Promise<IssueRow[]> {
  const { status, assigned_to, environment_id } = query;
  const { rows } = await sql<IssueRow>`
    select ${columns(reader)} from error_groups g
    where g.project_id = ${reader.project_id} ${status ? sql`and g.status = ${status}` : sql``}
      ${assigned_to ? sql`and g.assigned_to = ${assigned_to}` : sql``}
      ${job_ids ? sql`and g.job_id = any(${job_ids}::uuid[])` : sql``} ${ofEnvironment(reader, "g", environment_id)}
      and ${seen(reader)} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(reader.db);
  return rows;
}

/** Locks the issue, so that a failure that is counted meanwhile is seen either before or after the change. */
export async function lockIssue(tx: ProjectCtx & InTransaction, id: string): Promise<IssueRow> {
  await sql`
    select 1 from error_groups where project_id = ${tx.project_id} and id = ${isId(id) ? id : null} for update`.execute(
    tx.db,
  );
  return findIssue(tx, id);
}
