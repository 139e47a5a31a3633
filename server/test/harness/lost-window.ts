import type { History } from "./history.ts";

/**
 * A history whose database went back to the time `from`, and continued at `to`: what was seen in between happened in a past
 * that no longer exists. What was sent before and ended in between counts only as far as the database knows of it.
 */
export function withoutWindow(history: History, from: number, to: number): History {
  const isKept = (at: number | null) => at === null || at < from || at >= to;
  return {
    ...history,
    calls: history.calls.filter(({ started_at, ended_at }) => isKept(started_at) && isKept(ended_at)),
    dispatches: history.dispatches.filter(({ received_at }) => isKept(received_at)),
    reports: history.reports.filter(({ at }) => isKept(at)),
    received_deliveries: history.received_deliveries.filter(({ received_at }) => isKept(received_at)),
  };
}
