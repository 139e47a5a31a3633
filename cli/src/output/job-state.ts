import type { Job } from "@millrace/contract/jobs";

/** What becomes of a trigger of the job: it is refused, it waits, or it runs. */
export function stateOf({ enabled, paused_at }: Job): string {
  if (!enabled) return "disabled";
  return paused_at === null ? "active" : "paused";
}
