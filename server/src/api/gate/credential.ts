import type { IncomingHttpHeaders } from "node:http";
import { readCookie } from "../../platform/access/credentials/session-cookie.ts";
import { SESSION_COOKIE } from "../../platform/access/credentials/session-store.ts";

/** The credential of a request, not verified yet. */
export type Credential =
  | { kind: "none" }
  | { kind: "internal_secret"; secret: string }
  | { kind: "api_key"; key: string }
  | { kind: "run_token"; token: string }
  | { kind: "scoped_token"; token: string }
  | { kind: "jwt"; token: string }
  | { kind: "session"; token: string }
  /** Neither an API key nor a JWT: the internal secret as a bearer, or unknown. */
  | { kind: "bearer"; token: string };

/** Headers first, the cookie last: a script with its own key is never mistaken for the dashboard's user. */
export function readCredential(headers: IncomingHttpHeaders): Credential {
  const secret = headers["x-internal-secret"];
  if (secret !== undefined) return { kind: "internal_secret", secret: String(secret) };
  const { authorization, cookie } = headers;
  if (authorization !== undefined) return readBearer(authorization);
  const token = readCookie(cookie, SESSION_COOKIE);
  return token === undefined ? { kind: "none" } : { kind: "session", token };
}

function readBearer(authorization: string): Credential {
  const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) return { kind: "bearer", token: "" };
  if (token.startsWith("svc_")) return { kind: "api_key", key: token };
  const header = /^([\w-]+)\.[\w-]+\.[\w-]*$/.exec(token)?.[1];
  if (header === undefined) return { kind: "bearer", token };
  const type = jwtType(header);
  if (type === "access+jwt") return { kind: "scoped_token", token };
  return type === "run+jwt" ? { kind: "run_token", token } : { kind: "jwt", token };
}

/** Not verified yet: it only selects how the token is verified. */
function jwtType(header: string): unknown {
  try {
    return JSON.parse(Buffer.from(header, "base64url").toString("utf8"))?.typ;
  } catch {
    return undefined;
  }
}
