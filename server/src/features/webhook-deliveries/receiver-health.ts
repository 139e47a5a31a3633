import { LRUCache } from "lru-cache";
import type { RatedReceiver } from "./claim-deliveries.ts";
import { SLOW_AFTER_MS } from "./delivery-rules.ts";
import type { Receiver } from "./find-due-receivers.ts";
import type { DeliveryOutcome } from "./read-outcome.ts";

const MAX_RECEIVERS = 10_000;
const MAX_RECENT = 100;

/** Tracks which hosts last responded quickly to this instance. Kept in memory, so it starts empty. */
export function receiverHealth() {
  const proven = new LRUCache<string, true>({ max: MAX_RECEIVERS });
  const recent = new LRUCache<string, Receiver>({ max: MAX_RECENT });

  /** Any response counts, whatever its status: what matters is whether others would have to wait for it. */
  function record({ project_id, host }: Receiver, outcome: DeliveryOutcome): void {
    if (outcome.kind === "aborted") return;
    if (outcome.status_code === null || outcome.duration_ms >= SLOW_AFTER_MS) {
      proven.delete(host);
      return;
    }
    proven.set(host, true);
    recent.set(`${project_id} ${host}`, { project_id, host });
  }

  const isProven = (host: string): boolean => proven.has(host);
  const rate = (receiver: Receiver): RatedReceiver => ({ ...receiver, is_proven: isProven(receiver.host) });

  /** The proven ones among the most recently served receivers. */
  const recentlyServed = (): RatedReceiver[] => [...recent.values()].map(rate).filter((receiver) => receiver.is_proven);
  return { record, isProven, rate, recentlyServed };
}
