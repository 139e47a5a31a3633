import type { Caller } from "../../platform/context.ts";

const EMAIL = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/;

/** Whose preferences they are: one row for each key, each member, and the internal secret. */
export function recipientOf(caller: Caller): string {
  if (caller.kind === "api_key") return `key:${caller.key_id}`;
  return caller.kind === "member" ? `member:${caller.subject}` : "internal";
}

/** A member is called by the e-mail address of the token, if it has one. */
export function ownEmail(caller: Caller): string | null {
  return caller.kind === "member" && EMAIL.test(caller.name) ? caller.name : null;
}
