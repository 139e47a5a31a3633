import { OUTCOMES } from "@millrace/contract/cost-fields";

export type DispatchOutcome = (typeof OUTCOMES)[number];

/** How a dispatch ended, for cost reports: a final status, or the cause of another attempt. */
export function outcomeOf({ to_status, cause }: { to_status: string; cause: string }): DispatchOutcome {
  if (to_status === "timed_out" && cause === "heartbeat_lost") return "silent";
  if (to_status !== "pending") return isOutcome(to_status) ? to_status : "drained";
  return RETRY_OUTCOMES[cause] ?? "drained";
}

const RETRY_OUTCOMES: Record<string, DispatchOutcome> = {
  retry: "retried",
  timeout: "retried_after_timeout",
  heartbeat_lost: "retried_after_silence",
  lease_lost: "retried_after_crash",
};

function isOutcome(name: string): name is DispatchOutcome {
  return (OUTCOMES as readonly string[]).includes(name);
}
