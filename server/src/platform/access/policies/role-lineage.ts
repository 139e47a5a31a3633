import { MAX_ROLE_DEPTH, SYSTEM_ROLES } from "@millrace/contract/access/roles";
import type { Ctx } from "../../context.ts";
import { sql } from "../../database/sql.ts";
import { isId } from "../../ids.ts";

export type LineageRole = {
  id: string;
  name: string;
  permissions: readonly string[];
  parent_role_id: string | null;
  is_system: boolean;
};

const SYSTEM = new Map(SYSTEM_ROLES.flatMap((role) => [[role.id, role] as const, [role.name, role] as const]));

/** A role of the service by id or name. */
export function systemRole(ref: string): LineageRole | undefined {
  const role = SYSTEM.get(ref);
  return role && { ...role, parent_role_id: null, is_system: true };
}

/** A role, its parent, the parent's parent, and so on; empty when the role does not exist. A cycle is cut off. */
export async function readLineage(ctx: Ctx, project_id: string, role_id: string): Promise<LineageRole[]> {
  const own = systemRole(role_id);
  if (own) return [own];
  if (!isId(role_id)) return [];
  const { rows } = await sql<LineageRole & { depth: number }>`
    with recursive line as (
      select r.id, r.name, r.permissions, r.parent_role_id, 1 as depth from roles r
      where r.project_id = ${project_id} and r.id = ${role_id}
      union all
      select r.id, r.name, r.permissions, r.parent_role_id, l.depth + 1 from line l
      join roles r on r.project_id = ${project_id} and r.id = l.parent_role_id
      where l.depth <= ${MAX_ROLE_DEPTH}
    )
    select id, name, permissions, parent_role_id, false as is_system, depth from line order by depth`.execute(ctx.db);
  const root = systemRole(rows.at(-1)?.parent_role_id ?? "");
  return root ? [...rows, root] : rows;
}

/** All permissions that a lineage of roles grants. */
export function permissionsOf(lineage: readonly LineageRole[]): string[] {
  return [...new Set(lineage.flatMap((role) => role.permissions))];
}
