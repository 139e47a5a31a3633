import { RUN_COLUMNS, type RunRow } from "../../flow/runs/run-columns.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

export async function getRun(ctx: ProjectCtx, id: string): Promise<RunRow> {
  if (!isId(id)) throw notFound("run");
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from runs r
    where r.project_id = ${ctx.project_id} and r.id = ${id} and ${visible(ctx, "runs", "r")}`.execute(ctx.db);
  if (!rows[0]) throw notFound("run");
  return rows[0];
}

export async function listChildren(ctx: ProjectCtx, parent_run_id: string, page: Page): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from runs r
    where r.project_id = ${ctx.project_id} and r.parent_run_id = ${parent_run_id} and ${visible(ctx, "runs", "r")}
      ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}
