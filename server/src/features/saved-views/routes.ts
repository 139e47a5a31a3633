import { isDeepStrictEqual } from "node:util";
import {
  CreateSavedView,
  ListSavedViewsQuery,
  MAX_SAVED_VIEWS,
  SavedView,
  SavedViewList,
  UpdateSavedView,
} from "@millrace/contract/projects/saved-views";
import { refuseBoundKey } from "../../platform/access/environments.ts";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { isId, newId } from "../../platform/ids.ts";
import { type Page, presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";

const foundBy = { table: "saved_views", param: "viewID" } as const;

export const savedViewRoutes: Route[] = [
  projectRoute("POST /v1/saved-views", {
    summary: "Create a saved view: the filters of a list, under a name",
    scope: "analytics:write",
    body: CreateSavedView,
    response: SavedView,
    status: 201,
    errors: ["conflict"],
    run: (ctx, { body }) => createView(ctx, body),
  }),
  projectRoute("GET /v1/saved-views", {
    summary: "List saved views",
    scope: "analytics:read",
    query: ListSavedViewsQuery,
    response: SavedViewList,
    run: (ctx, { query }) => listViews(ctx, query),
  }),
  projectRoute("GET /v1/saved-views/{viewID}", {
    summary: "Get a saved view",
    scope: "analytics:read",
    foundBy,
    response: SavedView,
    run: (ctx, { params }) => getView(ctx, params.viewID),
  }),
  projectRoute("PATCH /v1/saved-views/{viewID}", {
    summary: "Update a saved view",
    scope: "analytics:write",
    foundBy,
    body: UpdateSavedView,
    response: SavedView,
    run: (ctx, { params, body }) => updateView(ctx, params.viewID, body),
  }),
  projectRoute("DELETE /v1/saved-views/{viewID}", {
    summary: "Delete a saved view",
    scope: "analytics:write",
    foundBy,
    run: (ctx, { params }) => deleteView(ctx, params.viewID),
  }),
];

/** A key bound to one environment must not see what others search for in other environments. */
async function listViews(ctx: ProjectCtx, query: ListSavedViewsQuery) {
  refuseBoundKey(ctx.caller, "saved views are");
  const page = readPage(ctx, "saved_views", query, "v");
  return presentPage(ctx, page, await listRows(ctx, query, page));
}

async function deleteView(ctx: ProjectCtx, id: string): Promise<undefined> {
  refuseBoundKey(ctx.caller, "saved views are");
  await inTransaction(ctx, async (tx) => {
    const before = await lockView(tx, id);
    if (!before) throw notFound("saved view");
    await sql`delete from saved_views where project_id = ${tx.project_id} and id = ${id}`.execute(tx.db);
    await recordAudit(tx, { action: "saved_view.deleted", resource_type: "saved_view", resource_id: id, before });
  });
}

async function createView(ctx: ProjectCtx, { name, resource, query = {} }: CreateSavedView): Promise<SavedView> {
  refuseBoundKey(ctx.caller, "saved views are");
  const id = newId();
  return inTransaction(ctx, async (tx) => {
    if ((await countViews(tx)) >= MAX_SAVED_VIEWS)
      throw new ApiError("conflict", `A project has at most ${MAX_SAVED_VIEWS} saved views.`);
    await sql`
      insert into saved_views (project_id, id, name, resource, query, created_by, created_by_id, created_at,
        updated_at)
      values (${tx.project_id}, ${id}, ${name}, ${resource}, ${JSON.stringify(query)}, ${tx.caller.name}, ${actorOf(tx.caller).id}, clock(),
        clock())`.execute(tx.db);
    const after = await getView(tx, id);
    await recordAudit(tx, { action: "saved_view.created", resource_type: "saved_view", resource_id: id, after });
    return after;
  });
}

async function updateView(ctx: ProjectCtx, id: string, body: UpdateSavedView): Promise<SavedView> {
  refuseBoundKey(ctx.caller, "saved views are");
  return inTransaction(ctx, async (tx) => {
    const before = await lockView(tx, id);
    if (!before) throw notFound("saved view");
    const changed = { ...before, ...body };
    if (isDeepStrictEqual(changed, before)) return before;
    await sql`
      update saved_views set name = ${changed.name}, query = ${JSON.stringify(changed.query)}, updated_at = clock()
      where project_id = ${tx.project_id} and id = ${id}`.execute(tx.db);
    const after = await getView(tx, id);
    await recordAudit(tx, {
      action: "saved_view.updated",
      resource_type: "saved_view",
      resource_id: id,
      before,
      after,
    });
    return after;
  });
}

async function getView(ctx: ProjectCtx, id: string): Promise<SavedView> {
  refuseBoundKey(ctx.caller, "saved views are");
  const view = await findView(ctx, id);
  if (!view) throw notFound("saved view");
  return view;
}

const COLUMNS = sql`v.id, v.project_id, v.name, v.resource, v.query, v.created_by, v.created_by_id, v.created_at, v.updated_at`;

async function findView(ctx: ProjectCtx, id: string): Promise<SavedView | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<SavedView>`
    select ${COLUMNS} from saved_views v where v.project_id = ${ctx.project_id} and v.id = ${id}`.execute(ctx.db);
  return rows[0];
}

async function lockView(ctx: ProjectCtx & InTransaction, id: string): Promise<SavedView | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<SavedView>`
    select ${COLUMNS} from saved_views v
    where v.project_id = ${ctx.project_id} and v.id = ${id} for update`.execute(ctx.db);
  return rows[0];
}

async function listRows(ctx: ProjectCtx, query: ListSavedViewsQuery, page: Page): Promise<SavedView[]> {
  const { resource, created_by } = query;
  const { rows } = await sql<SavedView>`
    select ${COLUMNS} from saved_views v
    where v.project_id = ${ctx.project_id} ${resource ? sql`and v.resource = ${resource}` : sql``}
      ${created_by ? sql`and ${created_by} in (v.created_by, v.created_by_id)` : sql``} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** Locks the project, so that two concurrent inserts cannot both pass the limit. */
async function countViews(ctx: ProjectCtx & InTransaction): Promise<number> {
  await sql`select 1 from projects where id = ${ctx.project_id} for update`.execute(ctx.db);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from saved_views v where v.project_id = ${ctx.project_id}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}
