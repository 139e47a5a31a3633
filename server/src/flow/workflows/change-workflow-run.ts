import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { lockWorkflowRuns } from "./lock-workflow-runs.ts";
import { notifyWorkflowRuns } from "./notify-workflow-runs.ts";
import type { LockedWorkflowRun } from "./progress/loaded-run.ts";
import { progressSoon } from "./progress/progress-soon.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";

/** Committed together with a change. */
export type Alongside<C extends Ctx> = (tx: C & InTransaction, before: LockedWorkflowRun) => Promise<void>;

/**
 * Changes one workflow run under its lock; after the commit its subscribers are notified, and it is progressed.
 * `change` returns false if it changed nothing. `alsoLock` are locked with it, in order. Returns false if there is no
 * such workflow run.
 */
export function changeWorkflowRun<C extends Ctx>(
  ctx: C,
  key: WorkflowRunKey,
  change: (tx: C & InTransaction, run: LockedWorkflowRun, others: readonly LockedWorkflowRun[]) => Promise<boolean>,
  alsoLock: readonly WorkflowRunKey[] = [],
): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const locked = await lockWorkflowRuns(tx, [key, ...alsoLock]);
    const run = locked.find(({ id }) => id === key.workflow_run_id);
    if (!run) return false;
    const others = locked.filter((each) => each !== run);
    if (await change(tx, run, others)) workflowRunsChanged(tx, [key]);
    return true;
  });
}

/** Notifies the subscribers of workflow runs after the commit, and progresses the runs. */
export function workflowRunsChanged(tx: Ctx & InTransaction, keys: readonly WorkflowRunKey[]): void {
  notifyWorkflowRuns(tx, keys);
  progressSoon(tx, keys);
}
