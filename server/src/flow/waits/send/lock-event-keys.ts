import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { lockKeys } from "../../lock-keys.ts";

export type EventKey = { project_id: string; event_key: string };

/**
 * Taken before every wait and every send: a wait sees what was sent before, and a send sees who waits. Without it, a
 * send between a wait's search of the buffer and its commit finds no wait, and the wait finds no event. All keys of a
 * transaction at once, before any row.
 */
export async function lockEventKeys(tx: Ctx & InTransaction, keys: readonly EventKey[]): Promise<void> {
  if (keys.length === 0) return;
  await lockKeys(
    tx,
    keys.map(({ project_id, event_key }) => `event:${project_id}:${event_key}`),
  );
}
