import type { WorkflowVersion } from "@millrace/contract/workflows";
import { sql } from "kysely";
import type { ProjectCtx } from "../../platform/context.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

export type VersionRow = Omit<WorkflowVersion, "$schema">;

const COLUMNS = sql`v.id, v.project_id, v.workflow_id, v.version, v.steps, v.timeout_secs, v.max_parallel_steps,
  v.payload_schema, v.created_by, v.created_at`;

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
