import type { Caller } from "./context.ts";

/**
 * The actor of a change. Two API keys may share a name, so the id is included; the service itself and the internal
 * secret have no id.
 */
export type Actor = { id: string | null; name: string };

/** The id that audit events record: the id of an API key, the subject of a member. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === "member") return { id: caller.subject, name: caller.name };
  return { id: caller.kind === "api_key" ? caller.key_id : null, name: caller.name };
}

/** The creator columns of a row that a caller creates. */
export function createdBy({ id, name }: Actor): { created_by: string; created_by_id: string | null } {
  return { created_by: name, created_by_id: id };
}

/** The columns of a decision. Absent: the service decided by itself. */
export function decidedBy(by: Actor | undefined): { decided_by: string | null; decided_by_id: string | null } {
  return { decided_by: by?.name ?? null, decided_by_id: by?.id ?? null };
}
