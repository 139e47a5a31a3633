import { CreateRole, GetRoleQuery, ListRolesQuery, Role, RoleList, UpdateRole } from "@millrace/contract/roles";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createRole } from "./create-role.ts";
import { deleteRole } from "./delete-role.ts";
import { getRole } from "./get-role.ts";
import { listRoles } from "./list-roles.ts";
import { updateRole } from "./update-role.ts";

const foundBy = { table: "roles", param: "roleID" } as const;

export const roleRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/roles",
    summary: "Create a role",
    scope: "access:write",
    body: CreateRole,
    response: Role,
    status: 201,
    errors: ["conflict", "grant_too_wide"],
    run: (ctx, { body }) => createRole(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/roles",
    summary: "List roles",
    scope: "access:read",
    query: ListRolesQuery,
    response: RoleList,
    run: (ctx, { query }) => listRoles(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/roles/{roleID}",
    summary: "Get a role, optionally with its lineage",
    scope: "access:read",
    foundBy,
    query: GetRoleQuery,
    response: Role,
    run: (ctx, { params, query }) => getRole(ctx, params.roleID, query),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/roles/{roleID}",
    summary: "Update a role",
    scope: "access:write",
    foundBy,
    body: UpdateRole,
    response: Role,
    errors: ["conflict", "grant_too_wide"],
    run: (ctx, { params, body }) => updateRole(ctx, params.roleID, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/roles/{roleID}",
    summary: "Delete a role that has no members",
    scope: "access:write",
    foundBy,
    errors: ["conflict"],
    run: (ctx, { params }) => deleteRole(ctx, params.roleID),
  }),
];
