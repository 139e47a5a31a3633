import { SUBJECT_PATTERN } from "@millrace/contract/access/members";
import type { JWTPayload } from "jose";
import { ApiError } from "../../errors/errors.ts";
import { findBadText } from "../../json/find-bad-text.ts";

export type OidcSubject = { subject: string; name: string; email: string | null };

/** The range of a JavaScript date: times beyond it are invalid, and `1e999` parses as infinity. */
const LAST_DATE_SECS = 8_640_000_000_000;
/** The longest address that SMTP accepts. */
const MAX_EMAIL_LENGTH = 320;
const MAX_NAME_LENGTH = 200;
const MAX_SUBJECT_LENGTH = 255;

/** The identity in a verified token. A signature proves who wrote the claims, not that they are well formed. */
export function readClaims(payload: JWTPayload, latest_iat: number): OidcSubject {
  for (const claim of ["exp", "nbf", "iat"] as const) checkDate(payload, claim);
  if (Number(payload.iat) > latest_iat) throw claimError("iat", "is in the future");
  const audiences: unknown[] = [payload.aud].flat();
  if (!audiences.every((each) => typeof each === "string")) throw claimError("aud", "must contain only text");

  const subject = readSubject(payload.sub);
  const email = readText(payload, "email") ?? null;
  if (email && email.length > MAX_EMAIL_LENGTH)
    throw claimError("email", `must have at most ${MAX_EMAIL_LENGTH} characters`);
  // Members, approvals and the audit log show the name, so an unverified address could impersonate someone.
  const shown =
    (isUnverified(payload) ? null : email) ??
    readText(payload, "preferred_username") ??
    readText(payload, "name") ??
    subject;
  return { subject, name: firstCharacters(shown), email: isUnverified(payload) ? null : email };
}

function checkDate(payload: JWTPayload, claim: "exp" | "nbf" | "iat"): void {
  const value: unknown = payload[claim];
  if (value === undefined) return;
  if (typeof value === "number" && Math.abs(value) <= LAST_DATE_SECS) return;
  throw claimError(claim, "must be a time in seconds since 1970");
}

/** The same rule as for a member's subject: any other subject could never be a member. */
function readSubject(sub: unknown): string {
  const isSubject = typeof sub === "string" && sub.length <= MAX_SUBJECT_LENGTH && IS_SUBJECT.test(sub);
  if (isSubject) return sub;
  throw claimError("sub", `must be text of 1 to ${MAX_SUBJECT_LENGTH} printable ASCII characters`);
}
const IS_SUBJECT = new RegExp(SUBJECT_PATTERN);

/** Undefined if absent: some issuers send null or an empty string for unknown values. */
function readText(payload: JWTPayload, claim: "email" | "preferred_username" | "name"): string | undefined {
  const value = payload[claim];
  if (value === undefined || value === null || value === "") return undefined;
  const isText = typeof value === "string" && !findBadText(value) && !/\p{Cc}/u.test(value);
  if (isText) return value;
  throw claimError(claim, "must be text without control characters");
}

/** An address that the issuer marks as unverified may belong to anyone. Some issuers send the flag as a string. */
function isUnverified({ email_verified }: JWTPayload): boolean {
  return email_verified === false || email_verified === "false";
}

/** Never cuts a surrogate pair in half. */
function firstCharacters(text: string): string {
  return Array.from(text).slice(0, MAX_NAME_LENGTH).join("");
}

/** The value is never repeated: it is part of a credential. */
function claimError(claim: string, rule: string): ApiError {
  return new ApiError("unauthorized", `The OIDC token cannot be used: its claim ${claim} ${rule}.`);
}
