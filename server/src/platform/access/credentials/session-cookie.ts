import type { RequestOrigin } from "../../context.ts";
import { SESSION_COOKIE } from "./session-store.ts";

type Reached = { origin: Pick<RequestOrigin, "base_url"> };

/** Inaccessible to scripts, and never sent from another site's page. */
export function sessionCookie(ctx: Reached, token: string, expires_at: string): string {
  return `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Expires=${new Date(expires_at).toUTCString()}${secure(ctx)}`;
}

export function noSessionCookie(ctx: Reached): string {
  return `${SESSION_COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0${secure(ctx)}`;
}

/**
 * If the browser reaches the service over https, by PUBLIC_URL or a trusted proxy, it sends the cookie over https only.
 */
export function secure({ origin }: Reached): string {
  return origin.base_url.startsWith("https:") ? "; Secure" : "";
}

/** The value of a cookie in the header `Cookie`. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(";") ?? []) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return undefined;
}
