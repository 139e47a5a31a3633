import type { Ctx } from "../../context.ts";
import { SESSION_COOKIE } from "./session-store.ts";

/** Inaccessible to scripts, and never sent from another site's page. */
export function sessionCookie(ctx: Ctx, token: string, expires_at: string): string {
  return `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Expires=${new Date(expires_at).toUTCString()}${secure(ctx)}`;
}

export function noSessionCookie(ctx: Ctx): string {
  return `${SESSION_COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0${secure(ctx)}`;
}

/** If the service is known to be reached over https, the cookie is sent over https only. */
export function secure({ config }: Ctx): string {
  return config.public_url?.startsWith("https:") ? "; Secure" : "";
}

/** The value of a cookie in the header `Cookie`. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(";") ?? []) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return undefined;
}
