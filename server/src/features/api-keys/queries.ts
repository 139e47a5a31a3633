import type { ApiKey } from "@millrace/contract/access/api-keys";
import { environmentNamed } from "../../platform/access/environments.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

export type ApiKeyRow = Omit<ApiKey, "$schema">;

const STATUS = sql`case when k.revoked_at is not null then 'revoked' when k.expires_at <= clock() then 'expired' else 'active' end`;

export const KEY_COLUMNS = sql`k.id, k.project_id, k.environment_id, k.org_id, k.name, k.subject, k.key_prefix, k.scopes, k.rate_limits,
  k.queues, k.worker_environment_ids, ${STATUS} as status,
  k.expires_at, k.rotation_interval_days, k.rotated_at,
  coalesce(k.rotated_at + k.rotation_interval_days * interval '1 day' <= clock(), false) as rotation_due,
  case when k.previous_key_expires_at > clock() then k.previous_key_expires_at end as previous_key_expires_at,
  k.last_used_at, k.created_by, k.created_by_id, k.created_at, k.updated_at, k.revoked_at`;

export async function getApiKey(ctx: ProjectCtx, id: string): Promise<ApiKeyRow> {
  if (!isId(id)) throw notFound("API key");
  const { rows } = await sql<ApiKeyRow>`
    select ${KEY_COLUMNS} from api_keys k
    where k.project_id = ${ctx.project_id} and k.id = ${id} and ${visible(ctx, "api_keys", "k")}`.execute(ctx.db);
  if (!rows[0]) throw notFound("API key");
  return rows[0];
}

export async function lockApiKey(ctx: ProjectCtx & InTransaction, id: string): Promise<ApiKeyRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<ApiKeyRow>`
    select ${KEY_COLUMNS} from api_keys k
    where k.project_id = ${ctx.project_id} and k.id = ${id} and ${visible(ctx, "api_keys", "k")}
    for no key update`.execute(ctx.db);
  return rows[0];
}

type Wanted = { status?: string; subject?: string };

export async function listApiKeys(ctx: ProjectCtx, page: Page, { status, subject }: Wanted): Promise<ApiKeyRow[]> {
  const ofStatus: Sql = status === undefined ? sql`` : sql`and ${STATUS} = ${status}`;
  const ofPerson: Sql = subject === undefined ? sql`` : sql`and k.subject = ${subject}`;
  const { rows } = await sql<ApiKeyRow>`
    select ${KEY_COLUMNS} from api_keys k
    where k.project_id = ${ctx.project_id} and ${visible(ctx, "api_keys", "k")} ${ofStatus} ${ofPerson} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export type NewApiKey = Pick<
  ApiKeyRow,
  | "id"
  | "environment_id"
  | "org_id"
  | "name"
  | "subject"
  | "key_prefix"
  | "rate_limits"
  | "queues"
  | "worker_environment_ids"
  | "rotation_interval_days"
  | "created_by"
  | "created_by_id"
> & {
  scopes: readonly string[] | null;
  expires_in_days: number | null;
  hash: Buffer;
  /** Of the session of the person who creates a personal key. */
  provider?: string | null;
  email?: string | null;
};

export async function insertApiKey(ctx: ProjectCtx & InTransaction, key: NewApiKey): Promise<void> {
  await sql`
    insert into api_keys (project_id, id, environment_id, org_id, name, subject, key_prefix, scopes, rate_limits, queues,
      worker_environment_ids, expires_at, rotation_interval_days, rotated_at, rotation_due_at, provider, email, created_by,
      created_by_id, created_at, updated_at)
    values (${ctx.project_id}, ${key.id}, ${key.environment_id}, ${key.org_id}, ${key.name}, ${key.subject}, ${key.key_prefix},
      ${key.scopes}, ${asJson(key.rate_limits)}, ${key.queues}, ${key.worker_environment_ids}::uuid[],
      clock() + ${key.expires_in_days}::int * interval '1 day', ${key.rotation_interval_days}, clock(),
      clock() + ${key.rotation_interval_days}::int * interval '1 day', ${key.provider ?? null}, ${key.email ?? null},
      ${key.created_by}, ${key.created_by_id}, clock(), clock())`.execute(ctx.db);
  await insertSecret(ctx, key.id, key.hash);
}

export async function updateApiKeyRow(
  ctx: ProjectCtx & InTransaction,
  { id, name, rate_limits }: Pick<ApiKeyRow, "id" | "name" | "rate_limits">,
): Promise<void> {
  await sql`
    update api_keys set name = ${name}, rate_limits = ${asJson(rate_limits)}, updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${id}`.execute(ctx.db);
}

function asJson(limits: ApiKeyRow["rate_limits"]): Sql {
  return limits === null ? sql`null` : sql`${JSON.stringify(limits)}::jsonb`;
}

/** The old secret expires at the end of the grace period, and older ones no later than that. */
export async function replaceSecret(
  ctx: ProjectCtx & InTransaction,
  id: string,
  secret: { hash: Buffer; key_prefix: string; grace_minutes: number },
): Promise<void> {
  await sql`
    update api_key_secrets
    set valid_until = least(valid_until, clock() + ${secret.grace_minutes}::int * interval '1 minute')
    where project_id = ${ctx.project_id} and key_id = ${id}`.execute(ctx.db);
  await insertSecret(ctx, id, secret.hash);
  await sql`
    update api_keys set key_prefix = ${secret.key_prefix}, rotated_at = clock(), updated_at = clock(),
      rotation_due_at = clock() + rotation_interval_days * interval '1 day',
      previous_key_expires_at = clock() + nullif(${secret.grace_minutes}::int, 0) * interval '1 minute'
    where project_id = ${ctx.project_id} and id = ${id}`.execute(ctx.db);
}

async function insertSecret(ctx: ProjectCtx & InTransaction, key_id: string, hash: Buffer): Promise<void> {
  await sql`
    insert into api_key_secrets (hash, project_id, key_id, created_at)
    values (${hash}, ${ctx.project_id}, ${key_id}, clock())`.execute(ctx.db);
}

/** False: it was already revoked. */
export async function revokeApiKeyRow(ctx: ProjectCtx & InTransaction, id: string): Promise<boolean> {
  const { rows } = await sql`
    update api_keys set revoked_at = clock(), rotation_due_at = null, updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${id} and revoked_at is null
    returning 1`.execute(ctx.db);
  return rows.length > 0;
}

/** The org of the project, and the id of an environment given by id or slug. */
export async function findGrantable(ctx: ProjectCtx, environment: string | null) {
  const named = environment === null ? sql`false` : environmentNamed(environment);
  const { rows } = await sql<{ org_id: string | null; environment_id: string | null }>`
    select p.org_id, (
      select e.id from environments e where e.project_id = p.id and ${named}) as environment_id
    from projects p where p.id = ${ctx.project_id}`.execute(ctx.db);
  return rows[0];
}

/** The ids of environments given by id or slug, in the same order. Null: there is no such environment. */
export async function findEnvironmentIds(ctx: ProjectCtx, refs: readonly string[]): Promise<(string | null)[]> {
  const { rows } = await sql<{ id: string | null }>`
    select e.id from unnest(${[...refs]}::text[]) with ordinality as g(ref, nth)
    left join environments e on e.project_id = ${ctx.project_id} and (e.id::text = lower(g.ref) or e.slug = g.ref)
    order by g.nth`.execute(ctx.db);
  return rows.map(({ id }) => id);
}
