import { SESSION_COOKIE } from "../../platform/access/credentials/session-store.ts";
import type { Ctx } from "../../platform/context.ts";

export function sessionCookie(ctx: Ctx, token: string, expires_at: string): string {
  return `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Expires=${new Date(expires_at).toUTCString()}${secure(ctx)}`;
}

export function noSessionCookie(ctx: Ctx): string {
  return `${SESSION_COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0${secure(ctx)}`;
}

/** If the service is known to be reached over https, the cookie is sent over https only. */
function secure(ctx: Ctx): string {
  return ctx.config.public_url?.startsWith("https:") ? "; Secure" : "";
}
