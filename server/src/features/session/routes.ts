import { CreateSession, Session } from "@millrace/contract/access/session";
import { LOCAL, verifyAccount } from "../../platform/access/accounts/account-store.ts";
import { matchesAny } from "../../platform/access/credentials/internal-secret.ts";
import { hashKey, isWellFormedKey } from "../../platform/access/credentials/key-format.ts";
import { noSessionCookie, sessionCookie } from "../../platform/access/credentials/session-cookie.ts";
import {
  endSession,
  redeemCode,
  startPersonSession,
  startSession,
} from "../../platform/access/credentials/session-store.ts";
import { signOutUrl } from "../../platform/access/sign-in/sign-out-url.ts";
import type { CallerCtx, Ctx, RequestOrigin } from "../../platform/context.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { callerRoute, publicRoute, type Route, type RouteReply } from "../../platform/route.ts";

export const sessionRoutes: Route[] = [
  publicRoute("POST /v1/session", {
    summary: "Sign in to the dashboard",
    limit: "sign_in",
    body: CreateSession,
    response: Session,
    status: 201,
    errors: ["unauthorized", "totp_required"],
    run: (ctx, { body }, reply) => createSession(ctx, body, reply),
  }),
  callerRoute("GET /v1/session", {
    summary: "Get the session of this request",
    response: Session,
    errors: ["not_found"],
    run: (ctx) => getSession(ctx),
  }),
  callerRoute("DELETE /v1/session", {
    summary: "Sign out",
    run: (ctx, _, reply) => deleteSession(ctx, reply),
  }),
];

async function deleteSession(ctx: CallerCtx, reply: RouteReply): Promise<undefined> {
  if (ctx.session) await endSession(ctx, ctx.session.id);
  reply.header("set-cookie", noSessionCookie(ctx));
}

async function getSession(ctx: CallerCtx): Promise<Session> {
  const { caller, session, origin } = ctx;
  if (session === null) throw new ApiError("not_found", "This request has no session.");
  const key = caller.kind === "api_key" ? caller : undefined;
  return {
    kind: caller.kind,
    project_id: key?.project_id ?? null,
    key_id: key?.key_id ?? null,
    expires_at: session.expires_at,
    sign_out_url: session.provider ? await signOutUrl(ctx, session.provider, origin.base_url) : null,
  };
}

type PublicCtx = Ctx & { origin: RequestOrigin };
type Started = Omit<Session, "sign_out_url"> & { token: string };

/** Exchanges a credential for a session cookie. Only the HttpOnly cookie holds the token, never the response body. */
async function createSession(ctx: PublicCtx, body: CreateSession, reply: RouteReply): Promise<Session> {
  const { token, ...started } = await startFrom(ctx, body);
  const session = { ...started, sign_out_url: null };
  reply.header("set-cookie", sessionCookie(ctx, token, session.expires_at));
  return session;
}

function startFrom(ctx: PublicCtx, body: CreateSession): Promise<Started> {
  const { api_key, internal_secret, code, email, password, totp } = body;
  const given = [api_key, internal_secret, code, email].filter((credential) => credential !== undefined);
  const isWhole = (email === undefined) === (password === undefined) && (totp === undefined || email !== undefined);
  if (given.length !== 1 || !isWhole)
    throw invalid("body", "must have exactly one of api_key, internal_secret, code, or email with password", null);
  if (email !== undefined) return fromPassword(ctx, { email, password: password ?? "", totp });
  if (api_key !== undefined) return fromApiKey(ctx, api_key);
  return internal_secret !== undefined ? fromInternalSecret(ctx, internal_secret) : fromCode(ctx, code ?? "");
}

async function fromApiKey(ctx: Ctx, key: string): Promise<Started> {
  const known = isWellFormedKey(key) ? await ctx.keyCache.find(ctx.db, hashKey(key)) : undefined;
  const isOver = known && known.valid_until_ms !== null && known.valid_until_ms <= ctx.watch.nowMs();
  if (!known || known.revoked || isOver)
    throw new ApiError("unauthorized", "The API key is unknown or no longer valid.");
  const { project_id, key_id } = known;
  const started = await startSession(ctx, { kind: "api_key", project_id, key_id, secret: key });
  return { kind: "api_key", project_id, key_id, ...started };
}

async function fromPassword(ctx: PublicCtx, given: Parameters<typeof verifyAccount>[1]): Promise<Started> {
  const { id, name, email } = (await verifyAccount(ctx, given)).account;
  const person = { subject: `${LOCAL}${id}`, name, email, provider: null };
  const started = await startPersonSession(ctx, { person, refresh_token: undefined, origin: ctx.origin });
  return { kind: "member", project_id: null, key_id: null, ...started };
}

async function fromInternalSecret(ctx: Ctx, secret: string): Promise<Started> {
  if (!matchesAny(ctx.config.internal_secrets, secret))
    throw new ApiError("unauthorized", "The internal secret is wrong.");
  const started = await startSession(ctx, { kind: "internal_secret", project_id: null, key_id: null, secret });
  return { kind: "internal_secret", project_id: null, key_id: null, ...started };
}

async function fromCode(ctx: Ctx, code: string): Promise<Started> {
  const started = await redeemCode(ctx, code);
  if (!started)
    throw new ApiError("unauthorized", "The sign-in link was used or has expired. Restart the service for a new one.");
  return { kind: "internal_secret", project_id: null, key_id: null, ...started };
}
