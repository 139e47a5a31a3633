import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { groupBy } from "../../platform/group-by.ts";
import type { LockedWorkflowRun } from "./loaded-run.ts";

/** The counter of a workflow's `max_concurrent_runs`, which is also the reason its runs are blocked on. */
export function workflowSlot(workflow_id: string): string {
  return `workflow:${workflow_id}`;
}

/**
 * Releases slots of `max_concurrent_runs` and unblocks as many runs, in the transaction in which their holders end. The
 * counter is locked before any unblocking, as it is before any blocking. True: some may start.
 */
export async function releaseWorkflowSlots(
  tx: Ctx & InTransaction,
  holders: readonly Pick<LockedWorkflowRun, "project_id" | "workflow_id">[],
): Promise<boolean> {
  let unblocked = 0;
  const groups = groupBy(holders, (run) => `${run.project_id} ${workflowSlot(run.workflow_id)}`);
  for (const [, runs] of [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const { project_id, workflow_id } = runs[0] as LockedWorkflowRun;
    const key = workflowSlot(workflow_id);
    await sql`
      update concurrency_counters set active = greatest(0, active - ${runs.length})
      where project_id = ${project_id} and key = ${key}`.execute(tx.db);
    unblocked += await unblockWorkflowRuns(tx, project_id, workflow_id, runs.length);
  }
  return unblocked > 0;
}

/** Unblocks runs, the longest due first. Skips locked rows. */
export async function unblockWorkflowRuns(
  tx: Ctx,
  project_id: string,
  workflow_id: string,
  most: number,
): Promise<number> {
  const { rows } = await sql`
    with next as materialized (
      select id from workflow_runs
      where project_id = ${project_id} and blocked_on = ${workflowSlot(workflow_id)} and status = 'pending'
        and blocked_on is not null
      order by scheduled_at, id limit ${most} for no key update skip locked
    )
    update workflow_runs w set blocked_on = null, updated_at = clock()
    from next n where w.project_id = ${project_id} and w.id = n.id
    returning 1`.execute(tx.db);
  return rows.length;
}
