import type { Ctx } from "../../platform/context.ts";
import { WORKFLOWS_DUE_TOPIC } from "./announce-progress.ts";
import { unparkWorkflowRuns } from "./release-workflow-slots.ts";

const PAGE = 1_000;

/** After `max_concurrent_runs` was changed to `most`: as many may now try to start, or all where there is no bound. */
export async function unparkWorkflow(
  ctx: Ctx,
  { project_id, workflow_id, most }: { project_id: string; workflow_id: string; most: number | null },
): Promise<void> {
  let left = most ?? Number.POSITIVE_INFINITY;
  for (let unparked = PAGE; unparked === PAGE && left > 0; left -= unparked) {
    unparked = await unparkWorkflowRuns(ctx, project_id, workflow_id, Math.min(PAGE, left));
  }
  ctx.wakeup.wake(WORKFLOWS_DUE_TOPIC);
}
