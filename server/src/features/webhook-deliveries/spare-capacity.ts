import type { RatedReceiver, Room } from "./claim-deliveries.ts";
import { MAX_IN_FLIGHT, MAX_SLOW, MAX_UNPROVEN, MAX_UNPROVEN_PER_PROJECT, SLOW_AFTER_MS } from "./delivery-rules.ts";

/** A delivery in flight: its start, and whether its receiver was proven then. */
export type Flight = { project_id: string; since: number; isProven: boolean };

/** `hasRoom`: whether a delivery to this receiver could be sent, as far as this instance knows. */
export type SpareCapacity = Room & { hasRoom: (receiver: RatedReceiver) => boolean };

/** How many more may be sent. Slow deliveries occupy no slot, up to a bound. */
export function spareCapacity(flights: Iterable<Flight>, now = performance.now()): SpareCapacity {
  let [slow, proven, unproven] = [0, 0, 0];
  const inProject = new Map<string, number>();
  for (const { project_id, since, isProven } of flights) {
    if (now - since >= SLOW_AFTER_MS) slow++;
    else if (isProven) proven++;
    else {
      unproven++;
      inProject.set(project_id, (inProject.get(project_id) ?? 0) + 1);
    }
  }
  const room = {
    proven: Math.max(0, MAX_IN_FLIGHT - proven),
    unproven: slow >= MAX_SLOW ? 0 : Math.max(0, MAX_UNPROVEN - unproven),
  };
  const hasRoom = ({ project_id, is_proven }: RatedReceiver) =>
    is_proven ? room.proven > 0 : room.unproven > 0 && (inProject.get(project_id) ?? 0) < MAX_UNPROVEN_PER_PROJECT;
  return { ...room, hasRoom };
}
