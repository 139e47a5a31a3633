import { CreateSession, Session } from "@millrace/contract/session";
import { matchesAny } from "../../platform/access/credentials/internal-secret.ts";
import { hashKey, isWellFormedKey } from "../../platform/access/credentials/key-format.ts";
import {
  endSession,
  redeemCode,
  SESSION_COOKIE,
  startSession,
} from "../../platform/access/credentials/session-store.ts";
import type { CallerCtx, Ctx } from "../../platform/context.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { callerRoute, publicRoute, type Route, type RouteReply } from "../../platform/route.ts";

export const sessionRoutes: Route[] = [
  publicRoute("POST /v1/session", {
    summary: "Sign in to the dashboard",
    limit: "sign_in",
    body: CreateSession,
    response: Session,
    status: 201,
    errors: ["unauthorized"],
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

async function getSession({ caller, session }: CallerCtx): Promise<Session> {
  if (session === null) throw new ApiError("not_found", "This request has no session.");
  const key = caller.kind === "api_key" ? caller : undefined;
  return {
    kind: caller.kind,
    project_id: key?.project_id ?? null,
    key_id: key?.key_id ?? null,
    expires_at: session.expires_at,
  };
}

type Started = Session & { token: string };

/** Exchanges a credential for a session cookie. Only the HttpOnly cookie holds the token, never the response body. */
async function createSession(ctx: Ctx, body: CreateSession, reply: RouteReply): Promise<Session> {
  const { token, ...session } = await startFrom(ctx, body);
  reply.header("set-cookie", sessionCookie(ctx, token, session.expires_at));
  return session;
}

function startFrom(ctx: Ctx, { api_key, internal_secret, code, ...rest }: CreateSession): Promise<Started> {
  const given = [api_key, internal_secret, code].filter((credential) => credential !== undefined);
  if (given.length !== 1) throw invalid("body", "must have exactly one of api_key, internal_secret, code", rest);
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

function sessionCookie(ctx: Ctx, token: string, expires_at: string): string {
  return `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Expires=${new Date(expires_at).toUTCString()}${secure(ctx)}`;
}

function noSessionCookie(ctx: Ctx): string {
  return `${SESSION_COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0${secure(ctx)}`;
}

/** If the service is known to be reached over https, the cookie is sent over https only. */
function secure(ctx: Ctx): string {
  return ctx.config.public_url?.startsWith("https:") ? "; Secure" : "";
}
