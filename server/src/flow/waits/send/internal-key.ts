import type { EventTrigger } from "@millrace/contract/events";
import { isId } from "../../../platform/ids.ts";

export type WaitKind = EventTrigger["wait_kind"];

/**
 * The key of a wait that no event ends. Derived from its own id, so it never collides with the keys that users choose.
 */
export function internalKey(wait_kind: WaitKind, id: string): string {
  return `${wait_kind}:${id}`;
}

/** The trigger that a key names in this way. Used only if no wait for an event has that key. */
export function readInternalKey(key: string): { wait_kind: string; id: string } | undefined {
  const [, wait_kind, id = ""] = /^(sleep|child|approval):(.{36})$/.exec(key) ?? [];
  return wait_kind !== undefined && isId(id) ? { wait_kind, id } : undefined;
}
