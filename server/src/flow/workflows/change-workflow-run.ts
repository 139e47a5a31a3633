import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type Lane, wakeLanes } from "../lanes.ts";
import { mergeNotifications, type WaitNotifications } from "../waits/notifications.ts";
import { notifyTriggers } from "../waits/notify-triggers.ts";
import type { LockedWorkflowRun } from "./loaded-run.ts";
import { lockWorkflowRuns } from "./lock-workflow-runs.ts";
import { WORKFLOWS_DUE_TOPIC } from "./notify-progress.ts";
import { progressSoon } from "./progress-soon.ts";
import { WORKFLOW_RUN_TOPIC, type WorkflowRunKey } from "./workflow-run-key.ts";

/** Committed together with a change. */
export type Alongside<C extends Ctx> = (tx: C & InTransaction, before: LockedWorkflowRun) => Promise<void>;

/**
 * What follows the commit of a change. `freed`: runs that wait for a slot are to be tried again; `next`: workflow
 * runs that wait for this one, or have taken its slot, are progressed.
 */
export type AfterChange = {
  has_outbox_entries?: boolean;
  freed?: boolean;
  notifications?: WaitNotifications[];
  next?: WorkflowRunKey[];
  /** Where runs became claimable. */
  lanes?: Lane[];
  /** Workflow runs that were changed with it. */
  others?: WorkflowRunKey[];
};

/**
 * Changes one workflow run under its lock, then notifies its subscribers and progresses it. `change` returns what else
 * follows the commit, or undefined if it changed nothing. `alsoLock` are locked with it, in order. Returns false if
 * there is no such workflow run.
 */
export async function changeWorkflowRun<C extends Ctx>(
  ctx: C,
  key: WorkflowRunKey,
  change: (
    tx: C & InTransaction,
    run: LockedWorkflowRun,
    others: readonly LockedWorkflowRun[],
  ) => Promise<AfterChange | undefined>,
  alsoLock: readonly WorkflowRunKey[] = [],
): Promise<boolean> {
  const changed = await inTransaction(ctx, async (tx) => {
    const locked = await lockWorkflowRuns(tx, [key, ...alsoLock]);
    const run = locked.find(({ id }) => id === key.workflow_run_id);
    const others = locked.filter((each) => each !== run);
    return run ? { after: await change(tx, run, others) } : undefined;
  });
  if (!changed?.after) return changed !== undefined;
  notifyChanged(ctx, key, changed.after);
  return true;
}

/** After the commit. */
function notifyChanged(ctx: Ctx, key: WorkflowRunKey, after: AfterChange): void {
  const { has_outbox_entries, freed, notifications = [], next = [], lanes = [], others = [] } = after;
  notifyTriggers(ctx, mergeNotifications(notifications));
  wakeLanes(ctx, lanes);
  if (has_outbox_entries) ctx.wakeup.wake("outbox");
  if (freed) ctx.wakeup.wake(WORKFLOWS_DUE_TOPIC);
  for (const { project_id, workflow_run_id } of [key, ...others]) {
    ctx.wakeup.wake(WORKFLOW_RUN_TOPIC, `${project_id}:${workflow_run_id}`);
  }
  progressSoon(ctx, [key, ...others, ...next]);
}
