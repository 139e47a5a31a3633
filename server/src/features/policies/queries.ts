import type { AccessPolicy, InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

export type PolicyKind = "resource" | "tag";

export type ShownPolicy = PolicyRow & { matches_anything: boolean };

export type PolicyRow = AccessPolicy & {
  project_id: string;
  kind: PolicyKind;
  description: string | null;
  created_by: string;
  created_by_id: string | null;
  created_at: string;
  updated_at: string;
};

const COLUMNS = sql`p.id, p.project_id, p.kind, p.effect, p.actions, p.subject, p.resource_type, p.resource_id, p.tag_key,
  p.tag_value, p.description, p.created_by, p.created_by_id, p.created_at, p.updated_at`;

export async function findPolicy(ctx: ProjectCtx, kind: PolicyKind, id: string): Promise<ShownPolicy | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<ShownPolicy>`
    select ${COLUMNS}, ${MATCHES_ANYTHING} as matches_anything from access_policies p
    where p.project_id = ${ctx.project_id} and p.id = ${id} and p.kind = ${kind}`.execute(ctx.db);
  return rows[0];
}

export async function lockPolicy(ctx: ProjectCtx & InTransaction, kind: PolicyKind, id: string) {
  if (!isId(id)) return undefined;
  const { rows } = await sql<PolicyRow>`
    select ${COLUMNS} from access_policies p
    where p.project_id = ${ctx.project_id} and p.id = ${id} and p.kind = ${kind} for update`.execute(ctx.db);
  return rows[0];
}

export async function listPolicies(ctx: ProjectCtx, kind: PolicyKind, page: Page): Promise<ShownPolicy[]> {
  const { rows } = await sql<ShownPolicy>`
    select ${COLUMNS}, ${MATCHES_ANYTHING} as matches_anything from access_policies p
    where p.project_id = ${ctx.project_id} and p.kind = ${kind} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export async function countPolicies(ctx: ProjectCtx & InTransaction): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from access_policies p where p.project_id = ${ctx.project_id}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

export async function hasKey(ctx: ProjectCtx, id: string): Promise<boolean> {
  if (!isId(id)) return false;
  const { rows } = await sql`
    select 1 from api_keys k where k.project_id = ${ctx.project_id} and k.id = ${id} and k.subject is null`.execute(
    ctx.db,
  );
  return rows.length > 0;
}

/** By the subject, or the id. */
export async function findMemberSubject(ctx: ProjectCtx, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ subject: string }>`
    select m.subject from members m
    where m.project_id = ${ctx.project_id} and (m.subject = ${ref} or ${isId(ref) ? sql`m.id = ${ref}` : sql`false`})
    order by m.subject = ${ref} desc limit 1`.execute(ctx.db);
  return rows[0]?.subject;
}

export async function findRoleId(ctx: ProjectCtx, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select r.id from roles r
    where r.project_id = ${ctx.project_id} and ${isId(ref) ? sql`r.id = ${ref}` : sql`r.name = ${ref}`}`.execute(
    ctx.db,
  );
  return rows[0]?.id;
}

/** Runs searched for a tag: no index covers their tags, and a list of policies must be fast. */
const NEWEST_RUNS = sql.lit(1_000);

/** Null for a value that is not an id. */
const ID = sql`case when p.resource_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p.resource_id::uuid end`;
const there = (table: Sql, rest = sql``) =>
  sql`exists (select 1 from ${table} t where t.project_id = p.project_id and t.id = ${ID} ${rest})`;
const undeleted = sql`and t.deleted_at is null`;

const BY_TYPE: Record<string, Sql> = {
  environment: there(sql`environments`),
  api_key: there(sql`api_keys`, sql`and t.revoked_at is null`),
  job: there(sql`jobs`, undeleted),
  workflow: there(sql`workflows`, undeleted),
  run: there(sql`runs`),
  workflow_run: there(sql`workflow_runs`),
  event_trigger: there(sql`event_triggers`),
  schedule: there(sql`schedules`),
  webhook_delivery: there(sql`webhook_deliveries`),
  webhook_subscription: there(sql`webhook_subscriptions`),
  log_drain: there(sql`log_drains`),
  batch_operation: there(sql`batch_operations`),
};

const tagged = (rows: Sql) =>
  sql`exists (select 1 from (${rows}) t where jsonb_exists(t.tags, p.tag_key)
    and (p.tag_value is null or t.tags ->> p.tag_key = p.tag_value))`;
const newest = (table: Sql) =>
  sql`select r.tags from ${table} r where r.project_id = p.project_id order by r.id desc limit ${NEWEST_RUNS}`;

/** Whether the policy `p` matches any existing resource. */
const MATCHES_ANYTHING = sql`case
  when p.resource_id = '*' then true
  ${sql.join(
    Object.entries(BY_TYPE).map(([type, exists]) => sql`when p.resource_type = ${sql.lit(type)} then ${exists}`),
    sql` `,
  )}
  when p.resource_type = '*' then (${sql.join(Object.values(BY_TYPE), sql` or `)})
  else ${tagged(sql`select j.tags from jobs j where j.project_id = p.project_id and j.deleted_at is null`)}
    or ${tagged(sql`select w.tags from workflows w where w.project_id = p.project_id and w.deleted_at is null`)}
    or ${tagged(newest(sql`runs`))} or ${tagged(newest(sql`workflow_runs`))}
  end`;
