import type { Job } from "@millrace/contract/jobs/jobs";

/** Active, paused (new runs stay queued) or disabled (triggers are rejected). */
export function jobState({ enabled, paused_at }: Pick<Job, "enabled" | "paused_at">): "active" | "paused" | "disabled" {
  if (!enabled) return "disabled";
  return paused_at ? "paused" : "active";
}
