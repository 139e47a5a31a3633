import type { Actor } from "../platform/actor.ts";

/** The error of what somebody has ended. `by_id` is there when an API key or a member did: two may share the name in the message. */
export type EndedByError = { code: string; message: string; by_id?: string };

export function endedBy(by: Actor, code: string, message: string): EndedByError {
  return { code, message, ...(by.id !== null && { by_id: by.id }) };
}

/** Says the reason that was given, else who canceled it. */
export function canceledError(code: string, { reason, by }: { reason: string | null; by: Actor }): EndedByError {
  return endedBy(by, code, reason ?? `Canceled by ${by.name}.`);
}
