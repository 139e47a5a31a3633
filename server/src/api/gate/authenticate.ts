import { scopesBeyond } from "@millrace/contract/access/scopes";
import { matchesAny } from "../../platform/access/credentials/internal-secret.ts";
import type { KnownKey } from "../../platform/access/credentials/key-cache.ts";
import { hashKey, isWellFormedKey } from "../../platform/access/credentials/key-format.ts";
import { recordKeyUse } from "../../platform/access/credentials/key-use.ts";
import { readOidcToken } from "../../platform/access/credentials/oidc.ts";
import { readRunToken } from "../../platform/access/credentials/run-token.ts";
import { readScopedToken } from "../../platform/access/credentials/scoped-token.ts";
import { findSession } from "../../platform/access/credentials/session-store.ts";
import { isDeactivated } from "../../platform/access/sign-in/provisioned.ts";
import { isReserved } from "../../platform/access/sign-in/subjects.ts";
import type { Caller, Ctx, RunClaims, SessionOfRequest } from "../../platform/context.ts";
import { ApiError, never } from "../../platform/errors/errors.ts";
import type { Credential } from "./credential.ts";

type MemberCaller = Extract<Caller, { kind: "member" }>;
export type Authenticated = { caller: Caller; session: SessionOfRequest | null };

/** Known without a statement. Undefined for callers who may act in several. */
export function projectOfKey({ caller }: Authenticated): string | undefined {
  return caller.kind === "api_key" ? caller.project_id : undefined;
}

const INTERNAL: Caller = { kind: "internal_secret", name: "internal secret", scopes: null };
/** For a header without a token, as an unset shell variable leaves it, or with a scheme other than Bearer. */
const NO_TOKEN = "The Authorization header holds no bearer token. Send Authorization: Bearer <API key>.";

/** Returns the caller, or throws a 401 with the reason. Most callers use a cached key, which needs no await. */
export function authenticate(ctx: Ctx, credential: Credential): Authenticated | Promise<Authenticated> {
  switch (credential.kind) {
    case "none":
      throw unauthorized("No credential was sent. Send Authorization: Bearer <API key>.");
    case "internal_secret":
      return fromInternalSecret(ctx, credential.secret, "The internal secret is wrong.");
    case "bearer":
      if (credential.token === "") throw unauthorized(NO_TOKEN);
      return fromInternalSecret(ctx, credential.token, "The bearer token is unknown.");
    case "api_key":
      return fromApiKey(ctx, credential.key);
    case "session":
      return fromSession(ctx, credential.token);
    case "scoped_token":
      return fromScopedToken(ctx, credential.token).then(withoutSession);
    case "run_token":
      throw unauthorized("A run token works only on the SDK paths of its own run.");
    case "jwt":
      return fromOidcToken(ctx, credential.token).then(withoutSession);
    default:
      return never(credential);
  }
}

function withoutSession(caller: Caller): Authenticated {
  return { caller, session: null };
}

/** Returns the run that calls its own SDK routes. Costs no statement: the handler checks whether the run is current. */
export function authenticateRun(ctx: Ctx, credential: Credential, run_id: string | undefined): RunClaims {
  if (credential.kind !== "run_token") throw unauthorized("This needs the run token that came with the dispatch.");
  const claims = readRunToken(ctx, credential.token);
  if (claims.run_id !== run_id) throw new ApiError("forbidden", "The run token belongs to another run.");
  return claims;
}

/** Costs no statement, so it is checked before any limit is counted. */
export function isInternal(ctx: Ctx, credential: Credential): boolean {
  if (credential.kind === "internal_secret") return matchesAny(ctx.config.internal_secrets, credential.secret);
  return credential.kind === "bearer" && matchesAny(ctx.config.internal_secrets, credential.token);
}

function fromInternalSecret(ctx: Ctx, secret: string, otherwise: string): Authenticated {
  if (!matchesAny(ctx.config.internal_secrets, secret)) throw unauthorized(otherwise);
  return { caller: INTERNAL, session: null };
}

function fromApiKey(ctx: Ctx, key: string): Authenticated | Promise<Authenticated> {
  // The checksum rejects junk and typing errors before they cost a lookup.
  if (!isWellFormedKey(key)) throw unauthorized("The API key is malformed.");
  const found = ctx.keyCache.find(ctx.db, hashKey(key));
  return found instanceof Promise ? found.then((known) => ofKnownKey(ctx, known)) : ofKnownKey(ctx, found);
}

function ofKnownKey(ctx: Ctx, known: KnownKey | undefined): Authenticated {
  if (!known) throw unauthorized("The API key is unknown.");
  return { caller: callerOf(ctx, known), session: null };
}

/** A token never has more rights than its key has now, and ends with it. */
async function fromScopedToken(ctx: Ctx, token: string): Promise<Caller> {
  const { project_id, key_id, scopes, run_ids, workflow_run_ids, tags } = readScopedToken(ctx, token);
  const known = await ctx.keyCache.findById(ctx.db, { project_id, key_id });
  if (!known) throw unauthorized("The API key that created the token is unknown.");
  const owner = callerOf(ctx, known);
  if (owner.kind !== "api_key") throw unauthorized("A personal key cannot create tokens.");
  const { scopes: held, ...caller } = owner;
  const beyond = new Set(scopesBeyond(held, scopes));
  const limits = { run_ids, workflow_run_ids, tags };
  return { ...caller, scopes: scopes.filter((scope) => !beyond.has(scope)), limits };
}

async function fromOidcToken(ctx: Ctx, token: string): Promise<Caller> {
  const who = await readOidcToken(ctx, token);
  if (isReserved(ctx.config, who.subject)) throw unauthorized("The OIDC token's claim sub names another provider.");
  if (await isDeactivated(ctx, who)) throw unauthorized("The identity provider has deactivated the token's subject.");
  return memberOf(who);
}

/** Their role in the project determines their rights; the project is not known yet. */
function memberOf({ subject, name, email }: { subject: string; name: string; email: string | null }): MemberCaller {
  const who = { subject, name, email };
  return { kind: "member", ...who, project_id: null, member_id: null, role_ids: [], org_id: null, scopes: [] };
}

async function fromSession(ctx: Ctx, token: string): Promise<Authenticated> {
  const session = await findSession(ctx, token);
  if (!session) throw new ApiError("session_expired", "The session has ended. Sign in again.");
  const { id, expires_at, key, person } = session;
  const caller = person ? memberOf(person) : key ? callerOf(ctx, key) : INTERNAL;
  return { caller, session: { id, expires_at, provider: person?.provider ?? null } };
}

/** Expiry and grace period are checked at each request, however recently the key was cached. */
function callerOf(ctx: Ctx, known: KnownKey): Exclude<Caller, { kind: "internal_secret" }> {
  const { revoked, valid_until_ms } = known;
  if (revoked) throw new ApiError("key_revoked", "The API key was revoked.");
  if (valid_until_ms !== null && valid_until_ms <= ctx.watch.nowMs()) {
    throw new ApiError("key_expired", "The API key has expired, or was rotated and its grace period has passed.");
  }
  recordKeyUse(ctx, known);
  const { project_id, key_id, name, subject, environment_id, org_id, scopes, queues, worker_environment_ids } = known;
  if (subject !== null)
    return { ...memberOf({ subject, name: subject, email: null }), key: { id: key_id, project_id, scopes } };
  const reach = { environment_id, org_id, scopes, queues, worker_environment_ids };
  return { kind: "api_key", project_id, key_id, name, ...reach };
}

function unauthorized(message: string): ApiError {
  return new ApiError("unauthorized", message);
}
