import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { hasEnded } from "../runs/states.ts";
import { lockWorkflowRuns } from "./progress/load-runs.ts";
import type { LockedWorkflowRun } from "./progress/loaded-run.ts";
import { workflowRunsChanged } from "./progress/progress-soon.ts";
import type { WorkflowRunKey } from "./workflow-run-changes.ts";

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

export function refuseEndedWorkflowRun({ status }: { status: string }): void {
  if (!hasEnded(status)) return;
  throw new ApiError("workflow_run_ended", `The workflow run has already ended: its status is ${status}.`, {
    errors: [{ location: "path.workflowRunID", message: `is ${status}`, value: status }],
  });
}

/** Steps cannot be retried while they are being compensated. */
export function refuseCompensating({ planned_end }: LockedWorkflowRun): void {
  if (planned_end === null) return;
  const message = `The workflow run is compensating, and will then end as ${planned_end.status}.`;
  throw new ApiError("workflow_run_compensating", message);
}
