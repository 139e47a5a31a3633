import { hash, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Ctx, RunClaims } from "../../context.ts";
import { ApiError } from "../../errors/errors.ts";
import { type HmacKey, hmacKey, hmacOf } from "../../secrets/hmac.ts";
import { keysFor } from "./derived-keys.ts";

/** A running run, as far as its token identifies it. */
export type TokenSubject = {
  run_id: string;
  project_id: string;
  attempt: number;
  lease_token: string;
  deadline: string;
};

/** How long after its deadline a run may still call back. */
const GRACE_SECS = 60;
const keysOf = keysFor("run token");
const HEADER = `${Buffer.from('{"alg":"HS256","typ":"run+jwt"}').toString("base64url")}.`;

/**
 * The token that a run presents on SDK routes. Made for every dispatch, so invariant parts are prepared once. No value
 * can contain a quote, so the claims are concatenated, not serialized.
 */
export function signRunToken(ctx: Ctx, run: TokenSubject): string {
  const exp = Math.ceil(Date.parse(run.deadline) / 1_000) + GRACE_SECS;
  const claims = `{"iss":"svc","aud":"svc:run","sub":"${run.run_id}","att":${run.attempt},"pid":"${run.project_id}","ltk":"${ltkOf(run.lease_token)}","exp":${exp}}`;
  const signed = HEADER + Buffer.from(claims, "latin1").toString("base64url");
  const [key] = keysOf(ctx.config);
  if (!key) throw new Error("JWT_SIGNING_KEY is empty");
  return `${signed}.${signatureOf(key, signed)}`;
}

/** Returns the claims of an unexpired token of this service, or throws a 401 with the reason. */
export function readRunToken(ctx: Ctx, token: string): RunClaims {
  const end = token.lastIndexOf(".");
  const signed = token.slice(0, end);
  // The whole header is compared: the service chooses algorithm and type, never the token.
  const isOurs = token.startsWith(HEADER) && keysOf(ctx.config).some((key) => isSignedBy(key, signed, token));
  if (!isOurs) throw new ApiError("unauthorized", "The run token was not issued by this service.");
  const { sub, pid, att, ltk, exp } = JSON.parse(
    Buffer.from(signed.slice(HEADER.length), "base64url").toString("latin1"),
  );
  if (exp * 1_000 <= ctx.watch.nowMs()) {
    throw new ApiError("run_token_expired", "The run token has expired: the run is past its deadline.");
  }
  return { run_id: sub, project_id: pid, attempt: att, ltk };
}

/** Identifies in a token the claim of the run it was made for. The fence in SQL computes the same value. */
export function ltkOf(lease_token: string): string {
  if (lease_token !== lastToken) {
    lastToken = lease_token;
    lastLtk = hash("sha256", lease_token, "hex").slice(0, 16);
  }
  return lastLtk;
}

/** The runs of one claim share its lease token and are dispatched in sequence. */
let lastToken = "";
let lastLtk = "";

/** Compared as text: several spellings decode to the same bytes, and only the canonical one is accepted. */
function isSignedBy(key: KeyObject, signed: string, token: string): boolean {
  const expected = Buffer.from(signatureOf(key, signed));
  const given = Buffer.from(token.slice(signed.length + 1));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function signatureOf(key: KeyObject, signed: string): string {
  const known = prepared.get(key);
  if (known) return hmacOf(known, "", signed, "base64url");
  prepared.set(key, hmacKey(key.export()));
  return signatureOf(key, signed);
}

const prepared = new WeakMap<KeyObject, HmacKey>();
