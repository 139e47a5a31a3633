import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Ctx, TokenLimits } from "../../context.ts";
import { ApiError } from "../../errors/errors.ts";
import { keysFor } from "./derived-keys.ts";

/** Claims of a scoped token: the key that made it, its scopes and its limits. */
export type AccessClaims = TokenLimits & {
  project_id: string;
  key_id: string;
  scopes: string[];
  expires_at_ms: number;
};

const keysOf = keysFor("access token");
const HEADER = `${Buffer.from('{"alg":"HS256","typ":"access+jwt"}').toString("base64url")}.`;

/** Made for a browser. The token is self-contained and not stored. The audit log names it by `id`. */
export function signScopedToken(ctx: Ctx, claims: AccessClaims & { id: string }): string {
  const { id, project_id, key_id, scopes, expires_at_ms, run_ids, workflow_run_ids, tags } = claims;
  const body = {
    ...{ iss: "svc", aud: "svc:api", jti: id, pid: project_id, sub: key_id, scp: scopes },
    ...{ run: run_ids, wfr: workflow_run_ids, tag: tags, exp: Math.floor(expires_at_ms / 1_000) },
  };
  const signed = HEADER + Buffer.from(JSON.stringify(body)).toString("base64url");
  const [key] = keysOf(ctx.config);
  if (!key) throw new Error("JWT_SIGNING_KEY is empty");
  return `${signed}.${signatureOf(key, signed)}`;
}

/** Returns the claims of an unexpired token of this service, or throws a 401 with the reason. */
export function readScopedToken(ctx: Ctx, token: string): AccessClaims {
  const signed = token.slice(0, token.lastIndexOf("."));
  // The whole header is compared: the service chooses algorithm and type, never the token.
  const isOurs = token.startsWith(HEADER) && keysOf(ctx.config).some((key) => isSignedBy(key, signed, token));
  if (!isOurs) throw new ApiError("unauthorized", "The token was not issued by this service.");
  const { pid, sub, scp, run, wfr, tag, exp } = JSON.parse(
    Buffer.from(signed.slice(HEADER.length), "base64url").toString("utf8"),
  );
  if (exp * 1_000 <= ctx.watch.nowMs()) throw new ApiError("key_expired", "The token has expired. Create another.");
  return {
    ...{ project_id: pid, key_id: sub, scopes: scp, expires_at_ms: exp * 1_000 },
    ...{ run_ids: run, workflow_run_ids: wfr, tags: tag },
  };
}

/** Compared as text: several spellings decode to the same bytes, and only the canonical one is accepted. */
function isSignedBy(key: KeyObject, signed: string, token: string): boolean {
  const expected = Buffer.from(signatureOf(key, signed));
  const given = Buffer.from(token.slice(signed.length + 1));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function signatureOf(key: KeyObject, signed: string): string {
  return createHmac("sha256", key).update(signed).digest("base64url");
}
