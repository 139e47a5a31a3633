import type { MarkShape } from "./mark-shapes.tsx";

/** Look of every status: color family, shape and label. */

export type StatusFamily = "success" | "running" | "waiting" | "queued" | "retrying" | "failed" | "unknown";
export type StatusLook = { family: StatusFamily; shape: MarkShape; label: string };

const LOOKS: Record<string, StatusLook> = {
  completed: { family: "success", shape: "check", label: "Completed" },
  succeeded: { family: "success", shape: "check", label: "Succeeded" },
  received: { family: "success", shape: "check", label: "Received" },
  delivered: { family: "success", shape: "check", label: "Delivered" },
  promoted: { family: "success", shape: "check", label: "Promoted" },
  active: { family: "success", shape: "check", label: "Active" },
  ok: { family: "success", shape: "check", label: "Healthy" },
  running: { family: "running", shape: "arc", label: "Running" },
  waiting: { family: "waiting", shape: "hourglass", label: "Waiting" },
  sleeping: { family: "waiting", shape: "moon", label: "Sleeping" },
  paused: { family: "waiting", shape: "bars", label: "Paused" },
  pending: { family: "queued", shape: "circle", label: "Pending" },
  queued: { family: "queued", shape: "circle", label: "Queued" },
  delayed: { family: "queued", shape: "clock", label: "Delayed" },
  expired: { family: "queued", shape: "clock", label: "Expired" },
  skipped: { family: "queued", shape: "dash", label: "Skipped" },
  disabled: { family: "queued", shape: "dash", label: "Disabled" },
  canceled: { family: "queued", shape: "slash", label: "Canceled" },
  revoked: { family: "queued", shape: "slash", label: "Revoked" },
  rolled_back: { family: "queued", shape: "slash", label: "Rolled back" },
  retrying: { family: "retrying", shape: "again", label: "Retrying" },
  degraded: { family: "retrying", shape: "again", label: "Degraded" },
  expiring: { family: "retrying", shape: "clock", label: "Expiring" },
  compensated: { family: "retrying", shape: "again", label: "Compensated" },
  failed: { family: "failed", shape: "octagon", label: "Failed" },
  timed_out: { family: "failed", shape: "clockEnded", label: "Timed out" },
  dead_lettered: { family: "failed", shape: "tombstone", label: "Dead-lettered" },
  unhealthy: { family: "failed", shape: "octagon", label: "Unhealthy" },
};

/** Unknown statuses of later versions get a diamond and their own name. */
export function lookOf(status: string): StatusLook {
  const known = Object.hasOwn(LOOKS, status) ? LOOKS[status] : undefined;
  return known ?? { family: "unknown", shape: "diamond", label: status };
}

/** Written out, because Tailwind scans the source for class names. */
export const FAMILY_TEXT: Record<StatusFamily, string> = {
  success: "text-success",
  running: "text-running",
  waiting: "text-waiting",
  queued: "text-queued",
  retrying: "text-retrying",
  failed: "text-failed",
  unknown: "text-ink-3",
};

export const FAMILY_FILL: Record<StatusFamily, string> = {
  success: "bg-success",
  running: "bg-running",
  waiting: "bg-waiting",
  queued: "bg-queued",
  retrying: "bg-retrying",
  failed: "bg-failed",
  unknown: "bg-ink-3",
};

/** For canvas and SVG. */
export const FAMILY_COLOR: Record<StatusFamily, string> = {
  success: "var(--color-success)",
  running: "var(--color-running)",
  waiting: "var(--color-waiting)",
  queued: "var(--color-queued)",
  retrying: "var(--color-retrying)",
  failed: "var(--color-failed)",
  unknown: "var(--color-ink-3)",
};

/** Display status of a run: pending after an attempt is retrying, due later is delayed. */
export function runStatus(run: { status: string; tries_used?: number; scheduled_at?: string }): string {
  if (run.status !== "pending") return run.status;
  if ((run.tries_used ?? 0) > 0) return "retrying";
  const isLater = run.scheduled_at !== undefined && Date.parse(run.scheduled_at) > Date.now() + 1_000;
  return isLater ? "delayed" : "pending";
}
