import type { ListSavedViewsQuery, SavedView } from "@millrace/contract/saved-views";
import { sql } from "kysely";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

const COLUMNS = sql`v.id, v.project_id, v.name, v.resource, v.query, v.created_by, v.created_by_id, v.created_at, v.updated_at`;

export async function findView(ctx: ProjectCtx, id: string): Promise<SavedView | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<SavedView>`
    select ${COLUMNS} from saved_views v where v.project_id = ${ctx.project_id} and v.id = ${id}`.execute(ctx.db);
  return rows[0];
}

export async function lockView(ctx: ProjectCtx & InTransaction, id: string): Promise<SavedView | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<SavedView>`
    select ${COLUMNS} from saved_views v
    where v.project_id = ${ctx.project_id} and v.id = ${id} for update`.execute(ctx.db);
  return rows[0];
}

export async function listViews(ctx: ProjectCtx, query: ListSavedViewsQuery, page: Page): Promise<SavedView[]> {
  const { resource, created_by } = query;
  const { rows } = await sql<SavedView>`
    select ${COLUMNS} from saved_views v
    where v.project_id = ${ctx.project_id} ${resource ? sql`and v.resource = ${resource}` : sql``}
      ${created_by ? sql`and ${created_by} in (v.created_by, v.created_by_id)` : sql``} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** Locks the project, so that two concurrent inserts cannot both pass the limit. */
export async function countViews(ctx: ProjectCtx & InTransaction): Promise<number> {
  await sql`select 1 from projects where id = ${ctx.project_id} for update`.execute(ctx.db);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from saved_views v where v.project_id = ${ctx.project_id}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}
