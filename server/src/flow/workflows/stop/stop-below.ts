import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Stop, stopQueued } from "../../runs/stop/stop-queued.ts";
import { cancelStepTriggers } from "../../waits/resolve/cancel-step-triggers.ts";
import { lockBelow, type Subtree } from "./lock-below.ts";

/**
 * Stops all descendants of locked workflow runs that are being canceled: from the commit on none of their runs is
 * claimed, and none of the workflow runs starts a step. Their waits end here: none of them takes an event any more, and
 * their keys are free. The outbox ends the rest in pages. Compensations continue.
 */
export async function stopBelow(tx: Ctx & InTransaction, subtree: Subtree): Promise<void> {
  const { project_id, workflow_run_ids, refs } = subtree;
  const below = await markBelow(tx, subtree, false);
  const ids = refs ? below : [...workflow_run_ids, ...below];
  await cancelStepTriggers(tx, project_id, await listWaits(tx, project_id, ids));
  await stopRunsOf(tx, project_id, ids, "cancel");
}

/** The waits of the workflow runs' steps, and of their job runs. */
async function listWaits(
  tx: Ctx & InTransaction,
  project_id: string,
  workflow_run_ids: readonly string[],
): Promise<string[]> {
  if (workflow_run_ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select t.id from event_triggers t
    where t.project_id = ${project_id} and t.workflow_run_id = any(${[...workflow_run_ids]}::uuid[])
      and t.workflow_run_id is not null and t.status = 'waiting'
    union all
    select t.id from runs r join event_triggers t
      on t.project_id = r.project_id and t.job_run_id = r.id and t.job_run_id is not null and t.ordinal = r.waits
    where r.project_id = ${project_id} and r.workflow_run_id = any(${[...workflow_run_ids]}::uuid[])
      and r.workflow_run_id is not null and r.status = 'waiting' and t.status = 'waiting'`.execute(tx.db);
  return rows.map((row) => row.id);
}

/**
 * Stops descendant workflow runs as far as possible without waiting: their ancestors have failed, and outbox entries
 * cancel them.
 */
export async function stopBelowSoon(tx: Ctx & InTransaction, subtree: Subtree): Promise<void> {
  const below = await markBelow(tx, subtree, true);
  if (below.length > 0) await stopQueued(tx, subtree.project_id, below, "cancel");
}

/**
 * Stops the job runs of workflow runs. A waiting one has no queue row, and ending its wait locks it but not its
 * workflow run: with the waiting ones locked, an end comes either before this, and its queue row is seen, or after the
 * commit, and sees the stop.
 */
export async function stopRunsOf(
  tx: Ctx & InTransaction,
  project_id: string,
  workflow_run_ids: readonly string[],
  stop: Stop,
): Promise<void> {
  if (workflow_run_ids.length === 0) return;
  await sql`
    select 1 from runs r
    where r.project_id = ${project_id} and r.workflow_run_id = any(${[...workflow_run_ids]}::uuid[])
      and r.workflow_run_id is not null and r.status = 'waiting'
    order by r.id for no key update`.execute(tx.db);
  await stopQueued(tx, project_id, workflow_run_ids, stop);
}

async function markBelow(tx: Ctx & InTransaction, subtree: Subtree, isHint: boolean): Promise<string[]> {
  const below = await lockBelow(tx, subtree, isHint);
  const ids = below.filter((run) => !run.is_compensating).map((run) => run.id);
  if (ids.length === 0) return [];
  await sql`
    update workflow_runs set stopped = 'cancel', updated_at = clock()
    where project_id = ${subtree.project_id} and id = any(${ids}::uuid[]) and stopped is null`.execute(tx.db);
  return ids;
}
