import { CreateRole, GetRoleQuery, ListRolesQuery, Role, RoleList, UpdateRole } from "@millrace/contract/access/roles";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createRole } from "./create-role.ts";
import { getRole, presentRole } from "./get-role.ts";
import { isInUse, listRoles as listRows, lockRoles } from "./queries.ts";
import { refuseSystemRole, updateRole } from "./update-role.ts";

const foundBy = { table: "roles", param: "roleID" } as const;

export const roleRoutes: Route[] = [
  projectRoute("POST /v1/roles", {
    summary: "Create a role",
    scope: "access:write",
    body: CreateRole,
    response: Role,
    status: 201,
    errors: ["conflict", "grant_too_wide"],
    run: (ctx, { body }) => createRole(ctx, body),
  }),
  projectRoute("GET /v1/roles", {
    summary: "List roles",
    scope: "access:read",
    query: ListRolesQuery,
    response: RoleList,
    run: (ctx, { query }) => listRoles(ctx, query),
  }),
  projectRoute("GET /v1/roles/{roleID}", {
    summary: "Get a role, optionally with its lineage",
    scope: "access:read",
    foundBy,
    query: GetRoleQuery,
    response: Role,
    run: (ctx, { params, query }) => getRole(ctx, params.roleID, query),
  }),
  projectRoute("PATCH /v1/roles/{roleID}", {
    summary: "Update a role",
    scope: "access:write",
    foundBy,
    body: UpdateRole,
    response: Role,
    errors: ["conflict", "grant_too_wide"],
    run: (ctx, { params, body }) => updateRole(ctx, params.roleID, body),
  }),
  projectRoute("DELETE /v1/roles/{roleID}", {
    summary: "Delete a role that has no members",
    scope: "access:write",
    foundBy,
    errors: ["conflict"],
    run: (ctx, { params }) => deleteRole(ctx, params.roleID),
  }),
];

async function listRoles(ctx: ProjectCtx, query: ListRolesQuery) {
  const page = readPage(ctx, "roles", query, "r");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page));
  return { data: data.map((row) => presentRole(row)), ...rest };
}

async function deleteRole(ctx: ProjectCtx, ref: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const row = (await lockRoles(tx)).find(({ id, name }) => id === ref || name === ref);
    if (!row) throw notFound("role");
    refuseSystemRole(row.id);
    const { members, children } = await isInUse(tx, row.id);
    if (members + children > 0) {
      throw new ApiError("conflict", `The role is in use: ${members} members have it, ${children} roles inherit it.`);
    }
    await sql`delete from roles where project_id = ${ctx.project_id} and id = ${row.id}`.execute(tx.db);
    const before = presentRole(row);
    await recordAudit(tx, { action: "role.deleted", resource_type: "role", resource_id: row.id, before });
  });
}
