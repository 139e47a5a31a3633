import type { GetRoleQuery, Role } from "@millrace/contract/access/roles";
import { type LineageRole, readLineage, systemRole } from "../../platform/access/policies/role-lineage.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { findRole, type RoleRow } from "./queries.ts";

export async function getRole(ctx: ProjectCtx, ref: string, { include_lineage }: GetRoleQuery): Promise<Role> {
  const row = await findRole(ctx, ref);
  if (!row) throw notFound("role");
  return presentRole(row, include_lineage ? await readLineage(ctx, ctx.project_id, row.id) : undefined);
}

export function presentRole(row: RoleRow, lineage?: readonly LineageRole[]): Role {
  return {
    ...row,
    permissions: [...row.permissions],
    is_system: systemRole(row.id) !== undefined,
    lineage: lineage ? lineage.map(inLineage) : null,
    effective_permissions: lineage ? effectivePermissions(lineage) : null,
  };
}

function inLineage({ id, name, permissions, is_system }: LineageRole) {
  return { id, name, permissions: [...permissions], is_system };
}

/** Each permission once, with the shortest path to a role that holds it. */
function effectivePermissions(lineage: readonly LineageRole[]) {
  const found = new Map<string, { permission: string; granted_by: string; path: string[] }>();
  for (const [depth, role] of lineage.entries()) {
    const path = lineage.slice(0, depth + 1).map(({ name }) => name);
    for (const permission of role.permissions)
      if (!found.has(permission)) found.set(permission, { permission, granted_by: role.name, path });
  }
  return [...found.values()];
}
