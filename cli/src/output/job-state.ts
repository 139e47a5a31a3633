import type { Job } from "@millrace/contract/jobs/jobs";

/** Whether triggers of the job are rejected (disabled), queued (paused) or run (active). */
export function stateOf({ enabled, paused_at }: Job): string {
  if (!enabled) return "disabled";
  return paused_at === null ? "active" : "paused";
}
