import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { type Stop, stopQueued } from "../../runs/stop/stop-queued.ts";
import { cancelStepTriggers } from "../../waits/cancel-waits.ts";

/** An active workflow run that was started by a step of another, directly or transitively. */
export type RunBelow = {
  id: string;
  parent_workflow_run_id: string;
  status: string;
  pause_inherited: boolean;
  is_compensating: boolean;
};

type Subtree = {
  project_id: string;
  workflow_run_ids: readonly string[];
  /** Only what these steps have started. Absent: what any step has. */
  refs?: readonly string[];
};

/**
 * Locks the active descendants of workflow runs whose locks are held, level by level: a run is started under the lock
 * of its parent, and each level is read after its parents were locked, so none is missed and none is added until the
 * transaction ends. `isHint`: locked runs are skipped, since the caller holds the locks of several subtrees and must
 * not wait.
 */
export async function lockBelow(tx: Ctx & InTransaction, subtree: Subtree, isHint = false): Promise<RunBelow[]> {
  const below: RunBelow[] = [];
  let level = await lockLevel(tx, subtree, isHint);
  while (level.length > 0) {
    below.push(...level);
    const workflow_run_ids = level.map((run) => run.id);
    level = await lockLevel(tx, { project_id: subtree.project_id, workflow_run_ids }, isHint);
  }
  return below;
}

async function lockLevel(
  tx: Ctx & InTransaction,
  { project_id, workflow_run_ids, refs }: Subtree,
  isHint: boolean,
): Promise<RunBelow[]> {
  const ofSteps = refs ? sql`and split_part(c.parent_step_ref, '[', 1) = any(${[...refs]}::text[])` : sql``;
  const { rows } = await sql<RunBelow>`
    select c.id, c.parent_workflow_run_id, c.status, c.pause_inherited, c.planned_end is not null as is_compensating
    from workflow_runs c
    where c.parent_workflow_run_id = any(${[...workflow_run_ids]}::uuid[]) and c.project_id = ${project_id}
      and c.finished_at is null ${ofSteps}
    order by c.id for no key update ${isHint ? sql`skip locked` : sql``}`.execute(tx.db);
  return rows;
}

/** All current descendants of a workflow run, ended or not. */
export async function listBelow(ctx: Ctx, project_id: string, workflow_run_id: string): Promise<ListedRun[]> {
  const below: ListedRun[] = [];
  for (let level = [workflow_run_id]; level.length > 0; ) {
    const { rows } = await sql<ListedRun>`
      select id, status, finished_at is not null as has_ended from workflow_runs
      where parent_workflow_run_id = any(${level}::uuid[]) and project_id = ${project_id}`.execute(ctx.db);
    below.push(...rows);
    level = rows.map((run) => run.id);
  }
  return below;
}

type ListedRun = { id: string; status: string; has_ended: boolean };

/**
 * Stops all descendants of locked workflow runs that are being canceled: from the commit on none of their runs is
 * claimed, and none of the workflow runs starts a step. Their waits end here: none of them takes an event anymore, and
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
