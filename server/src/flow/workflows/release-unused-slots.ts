import type { Ctx, InTransaction } from "../../platform/context.ts";
import { groupBy } from "../../platform/group-by.ts";
import type { LockedWorkflowRun } from "./loaded-run.ts";
import { unblockWorkflowRuns } from "./release-workflow-slots.ts";

type Leaving = Pick<LockedWorkflowRun, "workflow_id" | "status">;

/**
 * Runs that leave the queue before they started may have been next for a slot of `max_concurrent_runs`: the following
 * ones are unblocked in their place.
 */
export async function releaseUnusedSlots(
  tx: Ctx & InTransaction,
  project_id: string,
  runs: readonly Leaving[],
): Promise<void> {
  const pending = runs.filter(({ status }) => status === "pending");
  for (const [workflow_id, leaving] of groupBy(pending, (run) => run.workflow_id)) {
    await unblockWorkflowRuns(tx, project_id, workflow_id, leaving.length);
  }
}
