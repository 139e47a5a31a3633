import { LRUCache } from "lru-cache";
import type { JudgedLane } from "./claim-deliveries.ts";
import { SLOW_AFTER_MS } from "./delivery-rules.ts";
import type { Lane } from "./find-due-lanes.ts";
import type { Receipt } from "./read-receipt.ts";

const MOST_KNOWN = 10_000;
const MOST_RECENT = 100;

/** Tracks which hosts last responded quickly to this instance. Kept in memory, so it starts empty. */
export function receiverHealth() {
  const proven = new LRUCache<string, true>({ max: MOST_KNOWN });
  const recent = new LRUCache<string, Lane>({ max: MOST_RECENT });

  /** Any response counts, whatever its status: what matters is whether others would have to wait for it. */
  function note({ project_id, host }: Lane, receipt: Receipt): void {
    if (receipt.kind === "given_back") return;
    if (receipt.status_code === null || receipt.duration_ms >= SLOW_AFTER_MS) {
      proven.delete(host);
      return;
    }
    proven.set(host, true);
    recent.set(`${project_id} ${host}`, { project_id, host });
  }

  const isProven = (host: string): boolean => proven.has(host);
  const judge = (lane: Lane): JudgedLane => ({ ...lane, is_proven: isProven(lane.host) });

  /** The most recently served lanes with a proven receiver. */
  const recentLanes = (): JudgedLane[] => [...recent.values()].map(judge).filter((lane) => lane.is_proven);
  return { note, isProven, judge, recentLanes };
}
