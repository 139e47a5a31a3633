import type { Ctx } from "../../platform/context.ts";
import { unblockWorkflowRuns } from "./release-workflow-slots.ts";

const PAGE = 1_000;

/** After `max_concurrent_runs` was changed to `most`: unblocks as many, or all if there is no limit. */
export async function unblockWorkflow(
  ctx: Ctx,
  { project_id, workflow_id, most }: { project_id: string; workflow_id: string; most: number | null },
): Promise<void> {
  let left = most ?? Number.POSITIVE_INFINITY;
  for (let unblocked = PAGE; unblocked === PAGE && left > 0; left -= unblocked) {
    unblocked = await unblockWorkflowRuns(ctx, project_id, workflow_id, Math.min(PAGE, left));
  }
}
