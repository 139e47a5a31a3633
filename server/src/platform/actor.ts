import type { Caller } from "./context.ts";

/** Who does something. Two API keys may share a name, so the id goes with it; the service itself and the internal secret have none. */
export type Actor = { id: string | null; name: string };

/** The id is the one that audit events record: of an API key its id, of a member the subject. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === "member") return { id: caller.subject, name: caller.name };
  return { id: caller.kind === "api_key" ? caller.key_id : null, name: caller.name };
}

/** As columns of what a caller creates. */
export function createdBy({ id, name }: Actor): { created_by: string; created_by_id: string | null } {
  return { created_by: name, created_by_id: id };
}

/** As columns of a decision. Absent: the service decided by itself. */
export function decidedBy(by: Actor | undefined): { decided_by: string | null; decided_by_id: string | null } {
  return { decided_by: by?.name ?? null, decided_by_id: by?.id ?? null };
}
