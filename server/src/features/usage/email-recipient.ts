import { type RawBuilder, sql } from "kysely";
import type { Caller } from "../../platform/context.ts";

const EMAIL = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/;

/** The owner of the preferences: each key, each member and the internal secret has one row. */
export function recipientOf(caller: Caller): string {
  if (caller.kind === "api_key") return `key:${caller.key_id}`;
  return caller.kind === "member" ? `member:${caller.subject}` : "internal";
}

/** A member's address comes from the token, if it is valid. */
export function ownEmail(caller: Caller): string | null {
  return caller.kind === "member" && caller.email !== null && EMAIL.test(caller.email) ? caller.email : null;
}

/**
 * True if the owner of preferences `p` still has access: a key that is neither revoked nor expired, a member of the
 * project, the internal secret. Without access, an owner could not even unsubscribe.
 */
export const STILL_HAS_ACCESS: RawBuilder<boolean> = sql`(
  p.caller = 'internal'
  or exists (select 1 from api_keys k where k.project_id = p.project_id and 'key:' || k.id = p.caller
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock()))
  or exists (select 1 from members m where m.project_id = p.project_id and 'member:' || m.subject = p.caller))`;
