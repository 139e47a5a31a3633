import { foldEmail } from "../../platform/access/email-address.ts";
import { subjectOf } from "../../platform/access/sign-in/subjects.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { canonicalBody } from "./attribute-names.ts";
import type { Scim } from "./scim-request.ts";

type Body = Record<string, unknown>;
type Email = { value: string; type?: string; primary: boolean };
export type UserFields = {
  user_name: string;
  external_id: string | null;
  active: boolean;
  attributes: { displayName?: string; name?: Record<string, string>; emails?: Email[] };
};

const MAX_LENGTH = 320;
const MAX_EMAILS = 20;
const NAMES = ["formatted", "givenName", "familyName"];

/** The stored attributes of a user. Others are accepted and ignored, as RFC 7644 allows. */
export function userFields(sent: Body): UserFields {
  const body = canonicalBody(sent);
  const user_name = textOf(body.userName);
  if (user_name === undefined) throw new ApiError("bad_request", "userName is required.");
  const displayName = textOf(body.displayName);
  const given = (typeof body.name === "object" && body.name !== null ? body.name : {}) as Body;
  const name = Object.fromEntries(
    NAMES.flatMap((part) => {
      const text = textOf(given[part]);
      return text === undefined ? [] : [[part, text] as const];
    }),
  );
  return {
    ...{ user_name, external_id: textOf(body.externalId) ?? null, active: isActive(body.active) },
    attributes: { ...(displayName && { displayName }), name, emails: emailsOf(body.emails) },
  };
}

/** Entra sends "False". Absent: true. Anything else is rejected, so that nobody stays active by mistake. */
function isActive(value: unknown): boolean {
  const text = String(value ?? true).toLowerCase();
  if (text !== "true" && text !== "false") throw new ApiError("bad_request", "active must be true or false.");
  return text === "true";
}

/** Entra's older form of a single value is a list: `[{ "value": "Ada" }]`. */
export function onlyValue(value: unknown): unknown {
  const [one, ...more] = Array.isArray(value) ? value : [];
  return typeof one === "object" && one !== null && more.length === 0 ? (one as Body).value : value;
}

export function textOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  if (value.length > MAX_LENGTH) throw new ApiError("bad_request", "A value is too long.");
  return value.trim();
}

function emailsOf(value: unknown): Email[] {
  return [value]
    .flat()
    .slice(0, MAX_EMAILS)
    .flatMap((email) => {
      const { value: text, type, primary } = (typeof email === "object" && email !== null ? email : {}) as Body;
      const address = textOf(text);
      const kind = textOf(type);
      return address === undefined ? [] : [{ value: address, ...(kind && { type: kind }), primary: primary === true }];
    });
}

/** The addresses by which the person is found at sign-in. */
export function addressesOf({ user_name, attributes }: UserFields): string[] {
  const all = [user_name, ...(attributes.emails ?? []).map(({ value }) => value)];
  return [...new Set(all.filter((text) => text.includes("@")).map(foldEmail))];
}

/** Some providers send their `sub` as `externalId`; an id that cannot be a subject is ignored. */
export function subjectIn({ ctx, provider }: Scim, { external_id }: UserFields): string | null {
  if (external_id === null) return null;
  try {
    return subjectOf(ctx.config, provider, external_id);
  } catch {
    return null;
  }
}
