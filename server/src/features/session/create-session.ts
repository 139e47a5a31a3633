import type { CreateSession, Session } from "@millrace/contract/session";
import { matchesAny } from "../../platform/access/credentials/internal-secret.ts";
import { hashKey, isWellFormedKey } from "../../platform/access/credentials/key-format.ts";
import { redeemCode, startSession } from "../../platform/access/credentials/session-store.ts";
import type { Ctx } from "../../platform/context.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import type { RouteReply } from "../../platform/route.ts";
import { sessionCookie } from "./session-cookie.ts";

type Started = Session & { token: string };

/** Exchanges a credential for a session cookie. Only the HttpOnly cookie holds the token, never the response body. */
export async function createSession(ctx: Ctx, body: CreateSession, reply: RouteReply): Promise<Session> {
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
