import type { LogDrain } from "@millrace/contract/deliveries/log-drains";
import type { DrainRow } from "./queries.ts";

export function presentDrain(row: DrainRow): LogDrain {
  const { credentials: _, is_claimed, ...drain } = row;
  const isFailing = row.enabled && row.consecutive_failures > 0;
  return {
    ...drain,
    state: stateOf(row),
    // In other states, `next_attempt_at` is the end of a claim or of a one-second pause.
    next_attempt_at: isFailing && !is_claimed ? row.next_attempt_at : null,
  };
}

function stateOf({ enabled, consecutive_failures, oldest_unsent_at }: DrainRow): LogDrain["state"] {
  if (!enabled) return "disabled";
  if (consecutive_failures > 0) return "failing";
  return oldest_unsent_at === null ? "idle" : "delivering";
}
