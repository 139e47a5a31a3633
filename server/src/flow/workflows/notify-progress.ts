import type { Ctx } from "../../platform/context.ts";
import { type Lane, wakeLanes } from "../lanes.ts";
import { startCreated } from "../start-here.ts";
import { notifyTriggered } from "../trigger-runs.ts";
import { mergeNotifications, type WaitNotifications } from "../waits/notifications.ts";
import { publishTriggers } from "../waits/publish-triggers.ts";
import { emptyAfterCommit } from "./after-commit.ts";
import { WORKFLOW_RUN_TOPIC, type WorkflowRunKey } from "./workflow-run-key.ts";

export const WORKFLOWS_DUE_TOPIC = "workflow-runs-due";

export type Progressed = {
  changed: WorkflowRunKey[];
  has_outbox_entries: boolean;
  /** Runs that wait for a slot are to be tried again. */
  freed: boolean;
  notifications: WaitNotifications[];
  /** Workflow runs that wait for ended ones, or have taken their slots: to be progressed. */
  next: WorkflowRunKey[];
  /** Where runs became claimable. */
  lanes: Lane[];
};

/** After the commit: starts the runs of steps, and notifies waiters and watchers of workflow runs. */
export function notifyProgress(ctx: Ctx, progressed: Progressed, afterCommit = emptyAfterCommit()): void {
  for (const { runs, starts, enqueued } of afterCommit.created) {
    startCreated(ctx, runs, starts, enqueued);
    notifyTriggered(ctx, { results: [], enqueued });
  }
  for (const { project_id, workflow_run_id } of progressed.changed) {
    ctx.wakeup.wake(WORKFLOW_RUN_TOPIC, `${project_id}:${workflow_run_id}`);
  }
  wakeLanes(ctx, progressed.lanes);
  const notifications = [...afterCommit.notifications, ...progressed.notifications];
  if (notifications.length > 0) publishTriggers(ctx, mergeNotifications(notifications));
  if (progressed.has_outbox_entries) ctx.wakeup.wake("outbox");
  if (progressed.freed || afterCommit.children > 0) ctx.wakeup.wake(WORKFLOWS_DUE_TOPIC);
}
