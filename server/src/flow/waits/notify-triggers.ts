import type { Ctx } from "../../platform/context.ts";
import { afterRunsEnded } from "../after-runs-ended.ts";
import { unblockResumed } from "../block-job.ts";
import { countTransitions } from "../count-transitions.ts";
import { wakeLanes } from "../lanes.ts";
import { progressSoon } from "../workflows/progress-soon.ts";
import { WORKFLOW_RUN_TOPIC } from "../workflows/workflow-run-key.ts";
import type { WaitNotifications } from "./notifications.ts";
import { publishTriggers } from "./publish-triggers.ts";

/**
 * After the commit: runs `publishTriggers`, and continues the runs and workflows. Only hints: none of it is needed for
 * correctness.
 */
export function notifyTriggers(ctx: Ctx, notifications: WaitNotifications): void {
  publishTriggers(ctx, notifications);
  countTransitions(ctx, notifications.moves);
  wakeLanes(ctx, notifications.lanes);
  // Not awaited: if it fails, the reconciliation of the queue finds them.
  void unblockResumed(ctx, notifications.pausedJobs).catch(() => {});
  afterRunsEnded(ctx, notifications.ended);
  for (const { project_id, workflow_run_id } of [...notifications.progressed, ...notifications.explained]) {
    ctx.wakeup.wake(WORKFLOW_RUN_TOPIC, `${project_id}:${workflow_run_id}`);
  }
  progressSoon(ctx, notifications.progressed);
  if (notifications.hasOutboxEntries) ctx.wakeup.wake("outbox");
}
