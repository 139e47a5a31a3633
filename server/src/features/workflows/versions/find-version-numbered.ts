import { sql } from "kysely";
import type { ProjectCtx } from "../../../platform/context.ts";
import { findVersion, type VersionRow } from "./version-queries.ts";

export async function findVersionNumbered(
  ctx: ProjectCtx,
  workflow_id: string,
  version: number,
): Promise<VersionRow | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from workflow_versions
    where project_id = ${ctx.project_id} and workflow_id = ${workflow_id} and version = ${version}`.execute(ctx.db);
  return rows[0] && findVersion(ctx, workflow_id, rows[0].id);
}
