import type { Ctx, InTransaction } from "../../platform/context.ts";
import { startWaiting } from "./start-waiting.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";
import { keepLimits, listLimited, moveSlots, type WorkflowKey } from "./workflow-slots.ts";

/**
 * Passes the slots of `max_concurrent_runs` to the runs that wait for them, in the transaction in which their holders
 * end. Returns the started runs.
 */
export async function releaseWorkflowSlots(
  tx: Ctx & InTransaction,
  holders: readonly WorkflowKey[],
): Promise<WorkflowRunKey[]> {
  if (holders.length === 0) return [];
  // Pipelined: the limits are read once they are kept.
  const [, limited] = await Promise.all([keepLimits(tx, holders), listLimited(tx, holders)]);
  const started: WorkflowRunKey[] = [];
  for (const { project_id, workflow_id, most } of limited) {
    const released = holders.filter((run) => run.project_id === project_id && run.workflow_id === workflow_id);
    const active = await moveSlots(tx, { project_id, workflow_id }, -released.length);
    started.push(...(await startWaiting(tx, { project_id, workflow_id, most, active })));
  }
  return started;
}
