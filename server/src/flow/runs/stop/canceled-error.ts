import type { Actor } from "../../../platform/actor.ts";

/**
 * The error of something that was ended on request. `by_id` is set for an API key or a member: two may share the name
 * in the message.
 */
export type EndedByError = { code: string; message: string; by_id?: string };

export function endedBy(by: Actor, code: string, message: string): EndedByError {
  return { code, message, ...(by.id !== null && { by_id: by.id }) };
}

/** Contains the given reason, else the name of the canceling actor. */
export function canceledError(code: string, { reason, by }: { reason: string | null; by: Actor }): EndedByError {
  return endedBy(by, code, reason ?? `Canceled by ${by.name}.`);
}
