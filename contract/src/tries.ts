import type { Run } from "./runs.ts";

/** These have begun a try that has not failed. */
const AT_A_TRY = new Set(["running", "waiting", "completed"]);

/**
 * At which of its `max_attempts` tries a run is, or ended. `attempt` does not tell: it also counts dispatches after a wait, a
 * sleep, a child or a drained instance, which use no try. After a wait the tries begin anew.
 */
export function triesOf({ status, attempt, tries_used }: Pick<Run, "status" | "attempt" | "tries_used">): number {
  if (attempt === 0) return 0;
  return AT_A_TRY.has(status) ? tries_used + 1 : Math.max(1, tries_used);
}
