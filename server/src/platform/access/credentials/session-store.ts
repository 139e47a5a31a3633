import { createHash, randomBytes } from "node:crypto";
import type { Ctx, RequestOrigin } from "../../context.ts";
import { sql } from "../../database/sql.ts";
import { newId } from "../../ids.ts";
import { recheckSession, sealRefreshToken } from "../sign-in/recheck-session.ts";
import type { KnownKey } from "./key-cache.ts";
import { hashKey } from "./key-format.ts";

export const SESSION_COOKIE = "millrace_session";

type SessionPerson = { subject: string; name: string; email: string | null; provider: string | null };
export type KnownSession = { id: string; expires_at: string; key?: KnownKey; person?: SessionPerson };
export type NewSession =
  | { kind: "internal_secret"; project_id: null; key_id: null; secret: string }
  | { kind: "api_key"; project_id: string; key_id: string; secret: string };

const SESSION_HOURS = 12;
const IDLE_HOURS = 2;
/** How long a person stays signed in without a confirmation of the provider. */
const UNCONFIRMED_HOURS = 1;
const TOUCHED_AFTER_SECS = 60; // an active session costs one write a minute
const CODE_MINUTES = 60;

/** Starts a session. The token is returned once and stored as a hash. */
export async function startSession(ctx: Ctx, session: NewSession): Promise<{ token: string; expires_at: string }> {
  const token = randomBytes(32).toString("base64url");
  const { rows } = await sql<{ expires_at: string }>`
    insert into sessions (id, kind, project_id, key_id, secret_hash, token_hash, created_at, last_used_at, expires_at)
    values (${newId()}, ${session.kind}, ${session.project_id}, ${session.key_id}, ${hashSecret(session)},
      ${hashToken(token)}, clock(), clock(), clock() + ${SESSION_HOURS} * interval '1 hour')
    returning expires_at`.execute(ctx.db);
  return { token, expires_at: rows[0]?.expires_at ?? "" };
}

type PersonSession = {
  person: SessionPerson;
  /** Undefined: the provider gives none, or it is a local account. */
  refresh_token: string | undefined;
  origin: RequestOrigin;
};

/**
 * Starts a person's session, always with a new token. Without a refresh token the service cannot ask
 * whether the provider has withdrawn the access, so such a session is short.
 */
export async function startPersonSession(ctx: Ctx, { person, refresh_token, origin }: PersonSession) {
  const token = randomBytes(32).toString("base64url");
  const sealed = refresh_token === undefined ? null : sealRefreshToken(ctx, token, refresh_token);
  const hours = person.provider !== null && sealed === null ? UNCONFIRMED_HOURS : SESSION_HOURS;
  const due = sealed && sql`clock() + ${ctx.config.sign_in.recheck_secs} * interval '1 second'`;
  const { rows } = await sql<{ expires_at: string }>`
    insert into sessions (id, kind, subject, name, email, provider, refresh_token, checked_at, check_due_at, ip,
      user_agent, token_hash, created_at, last_used_at, expires_at)
    values (${newId()}, 'member', ${person.subject}, ${person.name}, ${person.email}, ${person.provider}, ${sealed},
      clock(), ${due}, ${origin.ip}, ${origin.user_agent}, ${hashToken(token)}, clock(), clock(),
      clock() + ${hours} * interval '1 hour')
    returning expires_at`.execute(ctx.db);
  return { token, expires_at: rows[0]?.expires_at ?? "" };
}

/** A one-time code for a sign-in link: `7F3K-92QD-…`, good for an hour. */
export async function newSignInCode(ctx: Ctx): Promise<string> {
  const code = randomBytes(10)
    .toString("hex")
    .toUpperCase()
    .replace(/(.{5})(?=.)/g, "$1-");
  const secret = hashSecret({ kind: "internal_secret", secret: ctx.config.internal_secrets[0] ?? "" });
  await sql`
    insert into sessions (id, kind, secret_hash, code_hash, created_at, expires_at)
    values (${newId()}, 'internal_secret', ${secret}, ${hashToken(code)}, clock(),
      clock() + ${CODE_MINUTES} * interval '1 minute')`.execute(ctx.db);
  return code;
}

/** Exchanges a code for a session; of two requests with the same code, one wins. */
export async function redeemCode(ctx: Ctx, code: string): Promise<{ token: string; expires_at: string } | undefined> {
  const token = randomBytes(32).toString("base64url");
  const { rows } = await sql<{ expires_at: string }>`
    update sessions set code_hash = null, token_hash = ${hashToken(token)}, last_used_at = clock(),
      expires_at = clock() + ${SESSION_HOURS} * interval '1 hour'
    where code_hash = ${hashToken(code.trim().toUpperCase())} and expires_at > clock()
    returning expires_at`.execute(ctx.db);
  return rows[0] && { token, expires_at: rows[0].expires_at };
}

type SessionRow = KnownKey & { id: string; kind: string; expires_at: string; secret_hash: Buffer; is_stale: boolean };
type PersonRow = SessionPerson & { refresh_token: Buffer | null; is_due: boolean; is_confirmed: boolean };

/**
 * By token alone, before the project is known. Reads the session's key and the secret it was started with again:
 * revoking the key, or removing the secret after a rotation, ends the session.
 */
export async function findSession(ctx: Ctx, token: string): Promise<KnownSession | undefined> {
  const { rows } = await sql<SessionRow>`
    select s.id, s.kind, s.expires_at, s.secret_hash,
      s.last_used_at <= clock() - ${TOUCHED_AFTER_SECS} * interval '1 second' as is_stale, k.project_id, k.id as key_id,
      k.name, k.subject, k.environment_id, k.scopes, k.rate_limits, k.queues, k.worker_environment_ids,
      case when k.org_id = p.org_id then k.org_id end as org_id,
      case when least(x.valid_until, k.expires_at) <= clock() then 0
        else extract(epoch from least(x.valid_until, k.expires_at))::float8 * 1000 end as valid_until_ms,
      k.revoked_at is not null or p.deleted_at is not null as revoked
    from sessions s
    left join api_key_secrets x on x.hash = s.secret_hash and x.project_id = s.project_id and x.key_id = s.key_id
    left join api_keys k on k.project_id = x.project_id and k.id = x.key_id
    left join projects p on p.id = k.project_id
    where s.token_hash = ${hashToken(token)} and s.expires_at > clock()
      and s.last_used_at > clock() - ${IDLE_HOURS} * interval '1 hour'`.execute(ctx.db);
  const row = rows[0];
  if (!row) return undefined;
  const { id, kind, expires_at, secret_hash, is_stale, ...key } = row;
  if (is_stale) await touchSession(ctx, id);
  if (kind === "member") return personOf(ctx, token, { id, expires_at });
  if (kind === "internal_secret") return isCurrentSecret(ctx, secret_hash) ? { id, expires_at } : undefined;
  return key.key_id === null ? undefined : { id, expires_at, key };
}

/** A person's session ends when the provider withdraws their access, or the last of their memberships. */
async function personOf(ctx: Ctx, token: string, { id, expires_at }: KnownSession): Promise<KnownSession | undefined> {
  const { rows } = await sql<PersonRow>`
    select subject, name, email, provider, refresh_token, coalesce(check_due_at <= clock(), false) as is_due,
      refresh_token is null or checked_at > clock() - ${UNCONFIRMED_HOURS} * interval '1 hour' as is_confirmed
    from sessions where id = ${id}`.execute(ctx.db);
  if (!rows[0]) return undefined;
  const { refresh_token, is_due, is_confirmed, ...person } = rows[0];
  const { subject, provider } = person;
  const isToAsk = is_due && refresh_token && provider;
  const isKept = !isToAsk || (await recheckSession(ctx, token, { id, subject, provider, refresh_token }));
  if (isKept && is_confirmed) return { id, expires_at, person };
  await endSession(ctx, id);
  return undefined;
}

/** Of many concurrent requests, one writes. */
async function touchSession(ctx: Ctx, id: string): Promise<void> {
  await sql`
    update sessions set last_used_at = clock()
    where id = ${id} and last_used_at <= clock() - ${TOUCHED_AFTER_SECS} * interval '1 second'`.execute(ctx.db);
}

/** A session of the internal secret ends when that value is removed from the settings. */
function isCurrentSecret({ config }: Ctx, secret_hash: Buffer): boolean {
  return config.internal_secrets.some((secret) => hashSecret({ kind: "internal_secret", secret }).equals(secret_hash));
}

export async function endSession(ctx: Ctx, id: string): Promise<void> {
  await sql`delete from sessions where id = ${id}`.execute(ctx.db);
}

/**
 * The same hash as in the keys' table. For the internal secret the hash is specific to this purpose, so it cannot be
 * used elsewhere.
 */
function hashSecret({ kind, secret }: Pick<NewSession, "kind" | "secret">): Buffer {
  return kind === "api_key" ? hashKey(secret) : hashToken(`millrace session ${secret}`);
}

function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
