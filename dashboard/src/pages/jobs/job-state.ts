import type { Job } from "@millrace/contract/jobs";

/** Active, paused (triggers wait) or disabled (triggers are refused). */
export function jobState({ enabled, paused_at }: Pick<Job, "enabled" | "paused_at">): "active" | "paused" | "disabled" {
  if (!enabled) return "disabled";
  return paused_at ? "paused" : "active";
}
