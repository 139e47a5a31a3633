import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { groupBy } from "../../platform/group-by.ts";
import { wake } from "../../platform/wake.ts";
import type { LockedWorkflowRun } from "./loaded-run.ts";
import { WORKFLOWS_DUE_TOPIC } from "./notify-workflow-runs.ts";

/** The counter of a workflow's `max_concurrent_runs`, which is also the reason its runs are blocked on. */
export function workflowSlot(workflow_id: string): string {
  return `workflow:${workflow_id}`;
}

/**
 * Releases slots of `max_concurrent_runs` and unblocks as many runs, in the transaction in which their holders end. The
 * counter is locked before any unblocking, as it is before any blocking.
 */
export async function releaseWorkflowSlots(
  tx: Ctx & InTransaction,
  holders: readonly Pick<LockedWorkflowRun, "project_id" | "workflow_id">[],
): Promise<void> {
  const groups = groupBy(holders, (run) => `${run.project_id} ${workflowSlot(run.workflow_id)}`);
  for (const [, runs] of [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const { project_id, workflow_id } = runs[0] as LockedWorkflowRun;
    const key = workflowSlot(workflow_id);
    await sql`
      update concurrency_counters set active = greatest(0, active - ${runs.length})
      where project_id = ${project_id} and key = ${key}`.execute(tx.db);
    await unblockWorkflowRuns(tx, project_id, workflow_id, runs.length);
  }
}

/** Unblocks runs, the longest due first; they are started after the commit. Skips locked rows. Returns how many. */
export async function unblockWorkflowRuns(
  ctx: Ctx,
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
    returning 1`.execute(ctx.db);
  if (rows.length > 0) wake(ctx, WORKFLOWS_DUE_TOPIC);
  return rows.length;
}
