import type { ListMembersQuery, Member } from "@millrace/contract/access/members";
import { SYSTEM_ROLES } from "@millrace/contract/access/roles";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

const SYSTEM_NAMES = JSON.stringify(SYSTEM_ROLES.map(({ id, name }) => ({ id, name })));

const ROLE_NAME = sql`coalesce(
  (select r.name from roles r where r.project_id = m.project_id and r.id = m.role_id),
  (select s.name from json_to_recordset(${SYSTEM_NAMES}::json) as s(id uuid, name text) where s.id = m.role_id), ''
)`;

const COLUMNS = sql`m.id, m.project_id, m.subject, m.name, m.role_id, ${ROLE_NAME} as role_name, m.by_rule, m.last_seen_at, m.created_by, m.created_by_id,
  m.created_at, m.updated_at`;

export async function findMember(ctx: ProjectCtx, id: string): Promise<Member | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<Member>`
    select ${COLUMNS} from members m where m.project_id = ${ctx.project_id} and m.id = ${id}`.execute(ctx.db);
  return rows[0];
}

export async function lockMember(ctx: ProjectCtx & InTransaction, where: { id?: string; subject?: string }) {
  const { id, subject } = where;
  if (id !== undefined && !isId(id)) return undefined;
  const { rows } = await sql<Member>`
    select ${COLUMNS} from members m
    where m.project_id = ${ctx.project_id} and ${id === undefined ? sql`m.subject = ${subject}` : sql`m.id = ${id}`}
    for update`.execute(ctx.db);
  return rows[0];
}

export async function listMembers(ctx: ProjectCtx, page: Page, { role_id, subject }: ListMembersQuery) {
  const ofRole: Sql =
    role_id === undefined ? sql`` : sql`and (m.role_id::text = ${role_id} or ${ROLE_NAME} = ${role_id})`;
  const ofSubject: Sql = subject === undefined ? sql`` : sql`and m.subject = ${subject}`;
  const { rows } = await sql<Member>`
    select ${COLUMNS} from members m
    where m.project_id = ${ctx.project_id} ${ofRole} ${ofSubject} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** A shared lock until the commit, so that the role cannot be deleted while a member is added. */
export async function shareRole(ctx: ProjectCtx & InTransaction, ref: string): Promise<string | undefined> {
  const system = SYSTEM_ROLES.find(({ id, name }) => id === ref || name === ref);
  if (system) return system.id;
  const { rows } = await sql<{ id: string }>`
    select r.id from roles r
    where r.project_id = ${ctx.project_id} and ${isId(ref) ? sql`r.id = ${ref}` : sql`r.name = ${ref}`}
    for share`.execute(ctx.db);
  return rows[0]?.id;
}
