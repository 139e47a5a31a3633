import type { Run } from "../runs/runs.ts";

/** Statuses in which a try has started and not failed. */
const TRYING_STATUSES = new Set(["running", "waiting", "completed"]);

/**
 * The number of the run's current or last try, out of `max_attempts`. Unlike `attempt`, it does not count dispatches
 * after a wait, a sleep, a child or a shutdown, which use no try. Tries start over after a wait.
 */
export function triesOf({ status, attempt, tries_used }: Pick<Run, "status" | "attempt" | "tries_used">): number {
  if (attempt === 0) return 0;
  return TRYING_STATUSES.has(status) ? tries_used + 1 : Math.max(1, tries_used);
}
