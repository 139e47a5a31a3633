import { SYSTEM_ROLES } from "@millrace/contract/access/roles";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

export type RoleRow = {
  id: string;
  project_id: string;
  name: string;
  description: string | null;
  permissions: readonly string[];
  parent_role_id: string | null;
  created_by: string;
  created_by_id: string | null;
  created_at: string;
  updated_at: string;
};

const COLUMNS = sql`r.id, r.project_id, r.name, r.description, r.permissions, r.parent_role_id, r.created_by, r.created_by_id,
  r.created_at, r.updated_at`;

/** The roles of the project and the built-in ones, which have the creation time of the project. */
function allRoles({ project_id }: ProjectCtx): Sql {
  return sql`(
    select ${COLUMNS} from roles r where r.project_id = ${project_id}
    union all
    select s.id, p.id, s.name, s.description, s.permissions, null, 'millrace', null, p.created_at, p.created_at
    from projects p, json_to_recordset(${JSON.stringify(SYSTEM_ROLES)}::json)
      as s(id uuid, name text, description text, permissions text[])
    where p.id = ${project_id}
  )`;
}

/** By id or by name. */
export async function findRole(ctx: ProjectCtx, ref: string): Promise<RoleRow | undefined> {
  const { rows } = await sql<RoleRow>`
    select r.* from ${allRoles(ctx)} r where ${isId(ref) ? sql`r.id = ${ref}` : sql`r.name = ${ref}`}`.execute(ctx.db);
  return rows[0];
}

export async function listRoles(ctx: ProjectCtx, page: Page): Promise<RoleRow[]> {
  const { rows } = await sql<RoleRow>`
    select r.* from ${allRoles(ctx)} r where true ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** Locks all of them: changing one may affect every other, and two concurrent changes could close a cycle. */
export async function lockRoles(ctx: ProjectCtx & InTransaction): Promise<RoleRow[]> {
  await sql`select 1 from projects where id = ${ctx.project_id} for update`.execute(ctx.db);
  const { rows } = await sql<RoleRow>`select r.* from ${allRoles(ctx)} r`.execute(ctx.db);
  return rows;
}

export async function isInUse(ctx: ProjectCtx & InTransaction, id: string) {
  const { rows } = await sql<{ members: number; children: number }>`
    select (select count(*)::int from members m where m.project_id = ${ctx.project_id} and m.role_id = ${id}) as members,
      (select count(*)::int from roles r where r.project_id = ${ctx.project_id} and r.parent_role_id = ${id}) as children
  `.execute(ctx.db);
  return rows[0] ?? { members: 0, children: 0 };
}
