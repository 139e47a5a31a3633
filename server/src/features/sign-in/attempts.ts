import { createHash, createHmac, randomBytes } from "node:crypto";
import { secure } from "../../platform/access/credentials/session-cookie.ts";
import type { Ctx, RequestOrigin } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import type { SignInProvider } from "../../platform/settings/sign-in-settings.ts";

const COOKIE = "millrace_sign_in";
const ATTEMPT_SECS = 600;

type PublicCtx = Ctx & { origin: RequestOrigin };

/** One provider must not be able to pass its answer off as another's, so each has a path of its own. */
export function redirectUri({ base_url }: RequestOrigin, id: string): string {
  return `${base_url}/v1/sign-in/${id}/callback`;
}

export function findProvider({ config }: Ctx, id: string): SignInProvider {
  const provider = config.sign_in.providers.find((each) => each.id === id);
  if (!provider) throw notFound("sign-in provider");
  return provider;
}

/** Stored as hashes: only the browser holds the secret, from which the nonce and the code verifier are derived. */
export async function startAttempt(ctx: Ctx, provider: string, return_to: string) {
  const [state, secret] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
  await sql`
    insert into sign_in_attempts (state_hash, browser_hash, provider, return_to, created_at, expires_at)
    values (${hash(state)}, ${hash(secret)}, ${provider}, ${return_to}, clock(),
      clock() + ${ATTEMPT_SECS} * interval '1 second')`.execute(ctx.db);
  return { state, secret, ...derivedFrom(secret) };
}

/** Each attempt is taken once, by the browser that began it, with the provider it was sent to. */
export async function takeAttempt(ctx: Ctx, taken: { state: string; secret: string; provider: string }) {
  const { state, secret, provider } = taken;
  const { rows } = await sql<{ return_to: string }>`
    delete from sign_in_attempts
    where state_hash = ${hash(state)} and browser_hash = ${hash(secret)} and provider = ${provider}
      and expires_at > clock()
    returning return_to`.execute(ctx.db);
  return rows[0] && { return_to: rows[0].return_to, ...derivedFrom(secret) };
}

/** Each attempt has a cookie of its own, so that one tab does not end the sign-in of another. */
export function attemptCookieName(state: string): string {
  return `${COOKIE}_${hash(state).toString("hex").slice(0, 16)}`;
}

/** Lax, since the provider's redirect comes from another site. */
export function attemptCookie(ctx: PublicCtx, state: string, secret: string | undefined): string {
  const value = secret === undefined ? "; Max-Age=0" : `${secret}; Max-Age=${ATTEMPT_SECS}`;
  return `${attemptCookieName(state)}=${value}; Path=/v1/sign-in; HttpOnly; SameSite=Lax${secure(ctx)}`;
}

function derivedFrom(secret: string): { nonce: string; code_verifier: string } {
  const derive = (purpose: string) => createHmac("sha256", secret).update(purpose).digest("base64url");
  return { nonce: derive("nonce"), code_verifier: derive("code verifier") };
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
