import { foldEmail } from "../../platform/access/email-address.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Condition } from "./parse-filter.ts";
import type { Presented, Scim } from "./scim-request.ts";
import { signOutDeactivated } from "./sign-out.ts";
import { addressesOf, subjectIn, type UserFields, userFields } from "./user-fields.ts";

type UserRow = UserFields & {
  id: string;
  subject: string | null;
  emails: string[];
  groups: { value: string; display: string }[];
  created_at: string;
  updated_at: string;
};

const COLUMNS = sql`u.id, u.user_name, u.external_id, u.subject, u.emails, u.active, u.attributes, u.created_at, u.updated_at,
  (select coalesce(json_agg(json_build_object('value', g.id, 'display', g.display_name) order by g.display_name), '[]')
   from scim_group_members m join scim_groups g on g.provider = m.provider and g.id = m.group_id
   where m.provider = u.provider and m.user_id = u.id) as groups`;

export async function findUser({ ctx, provider }: Scim, id: string): Promise<UserRow> {
  const { rows } = await sql<UserRow>`
    select ${COLUMNS} from scim_users u where u.provider = ${provider.id} and u.id = ${id} and u.deleted_at is null`.execute(
    ctx.db,
  );
  if (!rows[0]) throw notFound("user");
  return rows[0];
}

type PageOf = { start: number; limit: number };

/** Supports the attributes that providers search by. Other attributes match nobody. */
export async function listUsers(scim: Scim, conditions: Condition[], { start, limit }: PageOf) {
  const { ctx, provider } = scim;
  const matching = sql`u.provider = ${provider.id} and u.deleted_at is null and ${conditions.reduce((all, each) => sql`${all} and ${userCondition(each)}`, sql`true`)}`;
  const { rows } = await sql<UserRow>`
    select ${COLUMNS} from scim_users u
    where ${matching} order by u.created_at, u.id offset ${start - 1} limit ${limit}`.execute(ctx.db);
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from scim_users u where ${matching}`.execute(ctx.db);
  return { total: counted.rows[0]?.total ?? 0, resources: rows.map((row) => presentUser(scim, row)) };
}

function userCondition({ attribute, value, type }: Condition): Sql {
  if (type !== undefined)
    return sql`exists (
      select 1 from jsonb_array_elements(coalesce(u.attributes -> 'emails', '[]')) e
      where ${attribute} = 'emails.value' and lower(e ->> 'type') = lower(${type}) and lower(e ->> 'value') = lower(${value}))`;
  if (attribute === "userName") return sql`lower(u.user_name) = lower(${value})`;
  if (attribute === "externalId") return sql`u.external_id = ${value}`;
  if (attribute === "id") return sql`u.id::text = ${value}`;
  if (attribute === "active") return sql`u.active::text = ${value}`;
  if (attribute === "emails" || attribute === "emails.value") return sql`u.emails @> array[${foldEmail(value)}]`;
  return sql`false`;
}

export async function createUser(scim: Scim, body: Record<string, unknown>): Promise<Presented> {
  const fields = userFields(body);
  const id = newId();
  const { rows } = await sql`
    insert into scim_users (provider, id, user_name, external_id, subject, emails, active, attributes, created_at, updated_at)
    values (${scim.provider.id}, ${id}, ${fields.user_name}, ${fields.external_id}, ${subjectIn(scim, fields)},
      ${addressesOf(fields)}::text[], ${fields.active}, ${JSON.stringify(fields.attributes)}, clock(), clock())
    on conflict (provider, lower(user_name)) do nothing returning id`.execute(scim.ctx.db);
  if (rows.length === 0) throw new ApiError("conflict", "A user with this userName exists.");
  return presentUser(scim, await findUser(scim, id));
}

export async function replaceUser(scim: Scim, id: string, body: Record<string, unknown>): Promise<object> {
  return changeUser(scim, id, () => userFields(body));
}

/** A user who is no longer active is signed out in the same transaction. */
export async function changeUser(scim: Scim, id: string, change: (user: UserRow) => UserFields): Promise<object> {
  await inTransaction(scim.ctx, async (tx) => {
    const inTx = { ...scim, ctx: tx };
    const before = await lockUser(inTx, id);
    const after = change(before);
    await refuseTakenUserName(inTx, id, after.user_name);
    await sql`
      update scim_users set user_name = ${after.user_name}, external_id = ${after.external_id},
        subject = ${subjectIn(scim, after)}, emails = ${addressesOf(after)}::text[], active = ${after.active},
        attributes = ${JSON.stringify(after.attributes)}, updated_at = clock()
      where provider = ${scim.provider.id} and id = ${id}`.execute(tx.db);
    if (before.active && !after.active) await signOutDeactivated(tx, scim.provider.id, before);
  });
  return presentUser(scim, await findUser(scim, id));
}

/** Keeps the subject and addresses, so that the person cannot sign in until they are provisioned again. */
export async function deleteUser(scim: Scim, id: string): Promise<void> {
  await inTransaction(scim.ctx, async (tx) => {
    const before = await lockUser({ ...scim, ctx: tx }, id);
    await sql`
      update scim_users set active = false, user_name = id::text, external_id = null, attributes = '{}',
        updated_at = clock(), deleted_at = clock()
      where provider = ${scim.provider.id} and id = ${id}`.execute(tx.db);
    await sql`delete from scim_group_members where provider = ${scim.provider.id} and user_id = ${id}`.execute(tx.db);
    await signOutDeactivated(tx, scim.provider.id, before);
  });
}

type InTx = Scim & { ctx: Ctx & InTransaction };

async function lockUser(scim: InTx, id: string): Promise<UserRow> {
  await sql`select 1 from scim_users where provider = ${scim.provider.id} and id = ${id} for update`.execute(
    scim.ctx.db,
  );
  return findUser(scim, id);
}

async function refuseTakenUserName({ ctx, provider }: InTx, id: string, user_name: string): Promise<void> {
  const { rows } = await sql`
    select 1 from scim_users
    where provider = ${provider.id} and lower(user_name) = lower(${user_name}) and id <> ${id}`.execute(ctx.db);
  if (rows.length > 0) throw new ApiError("conflict", "A user with this userName exists.");
}

export function presentUser({ base }: Scim, user: UserRow): Presented {
  const { id, user_name, external_id, active, attributes, groups, created_at, updated_at } = user;
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    ...{ id, userName: user_name, ...(external_id !== null && { externalId: external_id }), active, ...attributes },
    groups,
    meta: {
      ...{ resourceType: "User", created: created_at, lastModified: updated_at, location: `${base}/Users/${id}` },
    },
  };
}
