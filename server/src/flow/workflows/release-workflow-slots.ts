import type { Ctx, InTransaction } from "../../platform/context.ts";
import { wake } from "../../platform/wake.ts";
import { WORKFLOWS_DUE_TOPIC } from "./notify-workflow-runs.ts";
import { passedOver, startWaiting } from "./start-waiting.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";
import { moveSlots, type WorkflowKey } from "./workflow-slots.ts";

/** Slots of a limited workflow whose holders have ended. */
export type ReleasedSlots = WorkflowKey & { most: number; released: number };

/**
 * Passes slots of `max_concurrent_runs` to the runs that wait for them, in the transaction in which their holders end.
 * The caller keeps the limits (`keepLimits`). Returns the started runs.
 */
export async function releaseWorkflowSlots(
  tx: Ctx & InTransaction,
  slots: readonly ReleasedSlots[],
): Promise<WorkflowRunKey[]> {
  const started: WorkflowRunKey[] = [];
  for (const { project_id, workflow_id, most, released } of slots) {
    const active = await moveSlots(tx, { project_id, workflow_id }, -released);
    started.push(...(await startWaiting(tx, { project_id, workflow_id, most, active })));
  }
  if (slots.length > 0) tx.afterCommit((ctx) => passedOver(ctx).size > 0 && wake(ctx, WORKFLOWS_DUE_TOPIC));
  return started;
}
