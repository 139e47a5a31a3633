import type { Ctx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import type { Effect } from "../../platform/ledger/record-effects.ts";
import { type Told, tellChanged } from "./change-workflow-run.ts";
import { lockWorkflowRuns } from "./lock-workflow-runs.ts";
import { pauseLocked } from "./pause-workflow-run.ts";
import { resumeLocked } from "./resume-workflow-run.ts";

const BY = "its parent workflow run";

/**
 * Pauses or resumes a workflow run with the one whose step started it, as that one is now: both are locked, so that a
 * pause and a resume after it that are done out of order leave the child as the parent is.
 */
export async function followParent(ctx: Ctx, { project_id, transition_id, target_id }: Effect): Promise<void> {
  const [parent_id = ""] = transition_id.split(":");
  const key = { project_id, workflow_run_id: target_id };
  const told = await inTransaction(ctx, async (tx): Promise<Told | undefined> => {
    const runs = await lockWorkflowRuns(tx, [{ project_id, workflow_run_id: parent_id }, key]);
    const [parent, child] = [runs.find(({ id }) => id === parent_id), runs.find(({ id }) => id === target_id)];
    if (!parent || !child || child.planned_end) return undefined;
    if (parent.status === "paused" && isLive(child.status)) return pauseLocked(tx, child, BY);
    if (isLive(parent.status) && child.status === "paused") return resumeLocked(tx, child, BY);
    return undefined;
  });
  if (told) tellChanged(ctx, key, told);
}

function isLive(status: string): boolean {
  return status === "pending" || status === "running";
}
