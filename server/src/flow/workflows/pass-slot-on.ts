import type { Ctx, InTransaction } from "../../platform/context.ts";
import { unparkWorkflowRuns } from "./release-workflow-slots.ts";
import type { LockedWorkflowRun } from "./run-in-hand.ts";

/**
 * A run that leaves the line before it started may have been the one whose turn had come for a slot of
 * `max_concurrent_runs`: the next one tries in its place. True: one may start.
 */
export async function passSlotOn(tx: Ctx & InTransaction, run: LockedWorkflowRun): Promise<boolean> {
  if (run.status !== "pending") return false;
  return (await unparkWorkflowRuns(tx, run.project_id, run.workflow_id, 1)) > 0;
}
