import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { isId, newId } from "../../platform/ids.ts";
import { canonicalBody } from "./attribute-names.ts";
import type { Condition } from "./parse-filter.ts";
import type { Presented, Scim } from "./scim-request.ts";
import { type LeftGroup, signOutOfGroup } from "./sign-out.ts";
import { textOf } from "./user-fields.ts";

type Body = Record<string, unknown>;
export type GroupFields = { display_name: string; external_id: string | null; member_ids: string[] };
type GroupRow = GroupFields & { id: string; created_at: string; updated_at: string };
type PageOf = { start: number; limit: number };
type InTx = Scim & { ctx: Ctx & InTransaction };

const MAX_MEMBERS = 10_000;

const COLUMNS = sql`g.id, g.display_name, g.external_id, g.created_at, g.updated_at, array(
    select m.user_id::text from scim_group_members m where m.provider = g.provider and m.group_id = g.id
    order by m.user_id) as member_ids`;

export async function findGroup({ ctx, provider }: Scim, id: string): Promise<GroupRow> {
  const { rows } = await sql<GroupRow>`
    select ${COLUMNS} from scim_groups g where g.provider = ${provider.id} and g.id = ${id}`.execute(ctx.db);
  if (!rows[0]) throw notFound("group");
  return rows[0];
}

export async function listGroups(scim: Scim, conditions: Condition[], { start, limit }: PageOf) {
  const { ctx, provider } = scim;
  const matching = conditions.reduce(
    (all, each) => sql`${all} and ${groupCondition(each)}`,
    sql`g.provider = ${provider.id}`,
  );
  const { rows } = await sql<GroupRow>`
    select ${COLUMNS} from scim_groups g
    where ${matching} order by g.created_at, g.id offset ${start - 1} limit ${limit}`.execute(ctx.db);
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from scim_groups g where ${matching}`.execute(ctx.db);
  return { total: counted.rows[0]?.total ?? 0, resources: rows.map((row) => presentGroup(scim, row)) };
}

/** Supports the attributes that providers search by. Other attributes match nothing. */
function groupCondition({ attribute, value, type }: Condition): Sql {
  if (type !== undefined) return sql`false`;
  if (attribute === "displayName") return sql`lower(g.display_name) = lower(${value})`;
  if (attribute === "externalId") return sql`g.external_id = ${value}`;
  if (attribute === "id") return sql`g.id::text = ${value}`;
  if (attribute === "members" || attribute === "members.value")
    return sql`exists (
      select 1 from scim_group_members m
      where m.provider = g.provider and m.group_id = g.id and m.user_id::text = ${value})`;
  return sql`false`;
}

export async function createGroup(scim: Scim, body: Body): Promise<Presented> {
  const fields = groupFields(body);
  const id = newId();
  await inTransaction(scim.ctx, async (tx) => {
    const inTx = { ...scim, ctx: tx };
    const { rows } = await sql`
      insert into scim_groups (provider, id, display_name, external_id, created_at, updated_at)
      values (${scim.provider.id}, ${id}, ${fields.display_name}, ${fields.external_id}, clock(), clock())
      on conflict (provider, lower(display_name)) do nothing returning id`.execute(tx.db);
    if (rows.length === 0) throw new ApiError("conflict", "A group with this displayName exists.");
    await setMembers(inTx, id, [], fields.member_ids);
  });
  return presentGroup(scim, await findGroup(scim, id));
}

export async function replaceGroup(scim: Scim, id: string, body: Body): Promise<object> {
  return changeGroup(scim, id, () => groupFields(body));
}

/** Sign-in rules name groups, so members who leave one, or whose group is renamed, must sign in again. */
export async function changeGroup(
  scim: Scim,
  id: string,
  change: (group: GroupFields) => GroupFields,
): Promise<object> {
  await inTransaction(scim.ctx, async (tx) => {
    const inTx = { ...scim, ctx: tx };
    const before = await lockGroup(inTx, id);
    const after = change(before);
    const { rows } = await sql`
      select 1 from scim_groups
      where provider = ${scim.provider.id} and lower(display_name) = lower(${after.display_name}) and id <> ${id}`.execute(
      tx.db,
    );
    if (rows.length > 0) throw new ApiError("conflict", "A group with this displayName exists.");
    await sql`
      update scim_groups set display_name = ${after.display_name}, external_id = ${after.external_id}, updated_at = clock()
      where provider = ${scim.provider.id} and id = ${id}`.execute(tx.db);
    const isRenamed = before.display_name !== after.display_name;
    const leaving = before.member_ids.filter((user_id) => isRenamed || !after.member_ids.includes(user_id));
    await setMembers(inTx, id, before.member_ids, after.member_ids);
    await signOutOfGroup(tx, scim.provider.id, await leftGroup(inTx, before.display_name, leaving));
  });
  return presentGroup(scim, await findGroup(scim, id));
}

export async function deleteGroup(scim: Scim, id: string): Promise<void> {
  await inTransaction(scim.ctx, async (tx) => {
    const inTx = { ...scim, ctx: tx };
    const { display_name, member_ids } = await lockGroup(inTx, id);
    await sql`delete from scim_groups where provider = ${scim.provider.id} and id = ${id}`.execute(tx.db);
    await signOutOfGroup(tx, scim.provider.id, await leftGroup(inTx, display_name, member_ids));
  });
}

function groupFields(sent: Body): GroupFields {
  const body = canonicalBody(sent);
  const display_name = textOf(body.displayName);
  if (display_name === undefined) throw new ApiError("bad_request", "displayName is required.");
  return { display_name, external_id: textOf(body.externalId) ?? null, member_ids: memberIdsIn(body.members) };
}

/** `[{ "value": "<id of a user>" }]`, or the ids themselves. */
export function memberIdsIn(value: unknown): string[] {
  const ids = [value].flat().flatMap((member) => {
    const id = typeof member === "object" && member !== null ? (member as Body).value : member;
    return typeof id === "string" && isId(id) ? [id] : [];
  });
  if (ids.length > MAX_MEMBERS) throw new ApiError("bad_request", `A group has at most ${MAX_MEMBERS} members.`);
  return [...new Set(ids)];
}

async function lockGroup(scim: InTx, id: string): Promise<GroupRow> {
  await sql`select 1 from scim_groups where provider = ${scim.provider.id} and id = ${id} for update`.execute(
    scim.ctx.db,
  );
  return findGroup(scim, id);
}

/** Ids that are not users of the provider are left out. */
async function setMembers({ ctx, provider }: InTx, id: string, before: string[], after: string[]): Promise<void> {
  const removed = before.filter((user_id) => !after.includes(user_id));
  const added = after.filter((user_id) => !before.includes(user_id));
  if (removed.length > 0)
    await sql`
      delete from scim_group_members
      where provider = ${provider.id} and group_id = ${id} and user_id = any(${removed}::uuid[])`.execute(ctx.db);
  if (added.length > 0)
    await sql`
      insert into scim_group_members (provider, group_id, user_id)
      select u.provider, ${id}::uuid, u.id from scim_users u
      where u.deleted_at is null and u.provider = ${provider.id} and u.id = any(${added}::uuid[])
      on conflict do nothing`.execute(ctx.db);
}

async function leftGroup({ ctx, provider }: InTx, group: string, ids: string[]): Promise<LeftGroup> {
  const { rows } = await sql<LeftGroup["users"][number]>`
    select subject, emails from scim_users where provider = ${provider.id} and id = any(${ids}::uuid[])`.execute(
    ctx.db,
  );
  return { group, users: rows };
}

export function presentGroup({ base }: Scim, group: GroupRow): Presented {
  const { id, display_name, external_id, member_ids, created_at, updated_at } = group;
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
    ...{ id, displayName: display_name, ...(external_id !== null && { externalId: external_id }) },
    members: member_ids.map((value) => ({ value, $ref: `${base}/Users/${value}` })),
    meta: {
      ...{ resourceType: "Group", created: created_at, lastModified: updated_at, location: `${base}/Groups/${id}` },
    },
  };
}
