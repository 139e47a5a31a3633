import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { collectForCommit } from "../../../platform/database/after-commit.ts";
import { sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { enqueueProgress, WORKFLOWS_DUE_TOPIC, type WorkflowRunKey } from "../workflow-run-changes.ts";
import { moveSlots, type WorkflowKey, workflowSlot } from "./workflow-slots.ts";

/** Runs that start or are unblocked in one transaction; the background task continues. */
const PAGE = 1_000;

/** `active`: the slots that are taken, from the locked counter. `newcomers`: locked runs, not blocked yet. */
type Starting = WorkflowKey & { max: number; active: number; newcomers?: readonly string[] };

/**
 * Workflows with a free slot whose waiting runs were locked by other transactions, or too many for one: the background
 * task tries again. Kept in memory; after a crash, reconciliation finds them.
 */
export const skippedWorkflows = perService(() => new Map<string, WorkflowKey>());

/**
 * Starts as many waiting runs as there are free slots, those that have been due longest first, so that no newcomer
 * overtakes a run that waits. The caller holds the lock of the limit (`lockLimitsShared`). The counter is locked before
 * waiting runs are read, as it is before any run is blocked. Locked runs are skipped, and at most a page of runs start.
 */
export async function startWaiting(
  tx: Ctx & InTransaction,
  { project_id, workflow_id, max, active, newcomers = [] }: Starting,
): Promise<WorkflowRunKey[]> {
  const workflow = { project_id, workflow_id };
  const room = max - active;
  if (room <= 0) return [];
  const ids = await listNext(tx, workflow, newcomers, Math.min(room, PAGE));
  await startRuns(tx, project_id, ids, { holds_slot: true });
  if (ids.length > 0) await moveSlots(tx, workflow, ids.length);
  if (ids.length < room && (ids.length === PAGE || (await hasWaiting(tx, workflow)))) recordSkipped(tx, [workflow]);
  return ids.map((workflow_run_id) => ({ project_id, workflow_run_id }));
}

/** Slots of a limited workflow whose holders have ended. */
export type ReleasedSlots = WorkflowKey & { max: number; released: number };

/**
 * Passes slots of `max_concurrent_runs` to the runs that wait for them, in the transaction in which their holders end.
 * The caller holds the locks of the limits (`lockLimitsShared`). Returns the started runs.
 */
export async function releaseWorkflowSlots(
  tx: Ctx & InTransaction,
  slots: readonly ReleasedSlots[],
): Promise<WorkflowRunKey[]> {
  const started: WorkflowRunKey[] = [];
  for (const { project_id, workflow_id, max, released } of slots) {
    const active = await moveSlots(tx, { project_id, workflow_id }, -released);
    started.push(...(await startWaiting(tx, { project_id, workflow_id, max, active })));
  }
  if (slots.length > 0) tx.afterCommit((ctx) => skippedWorkflows(ctx).size > 0 && wake(ctx, WORKFLOWS_DUE_TOPIC));
  return started;
}

/** The next pass of the background task repeats the start, after the transactions that hold the waiting runs. */
export const recordSkipped = collectForCommit<WorkflowKey>((ctx, workflows) => {
  for (const workflow of workflows)
    skippedWorkflows(ctx).set(`${workflow.project_id} ${workflow.workflow_id}`, workflow);
});

async function listNext(
  tx: Ctx & InTransaction,
  { project_id, workflow_id }: WorkflowKey,
  newcomers: readonly string[],
  room: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with blocked as materialized (
      select id, scheduled_at from workflow_runs
      where project_id = ${project_id} and blocked_on = ${workflowSlot(workflow_id)} and status = 'pending'
        and blocked_on is not null and stopped is null
      order by scheduled_at, id limit ${room} for no key update skip locked
    ),
    fresh as (
      select id, scheduled_at from workflow_runs
      where project_id = ${project_id} and id = any(${[...newcomers]}::uuid[])
    )
    select id from (select * from blocked union all select * from fresh) waiting
    order by scheduled_at, id limit ${room}`.execute(tx.db);
  return rows.map((row) => row.id);
}

async function hasWaiting(tx: Ctx, { project_id, workflow_id }: WorkflowKey): Promise<boolean> {
  const { rows } = await sql`
    select 1 from workflow_runs
    where project_id = ${project_id} and blocked_on = ${workflowSlot(workflow_id)} and status = 'pending'
      and blocked_on is not null and stopped is null limit 1`.execute(tx.db);
  return rows.length > 0;
}

/** Starts locked pending runs. `holds_slot`: it counts for its workflow's limit, also for one that is set later. */
export async function startRuns(
  tx: Ctx & InTransaction,
  project_id: string,
  ids: readonly string[],
  { holds_slot }: { holds_slot: boolean },
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    with admitted as (
      update workflow_runs set prev_status = status, status = 'running', transition_count = transition_count + 1, started_at = clock(),
        deadline = clock() + timeout_secs * interval '1 second', blocked_on = null, holds_slot = ${holds_slot},
        updated_at = clock()
      where project_id = ${project_id} and id = any(${[...ids]}::uuid[]) and status = 'pending'
      returning id
    ),
    ${enqueueProgress(project_id, sql`admitted`)}
    select 1 from admitted`.execute(tx.db);
}

/** For a workflow without a limit: its blocked runs are due again, a page of them. */
export async function unblockAll(tx: Ctx & InTransaction, workflow: WorkflowKey): Promise<void> {
  const { project_id, workflow_id } = workflow;
  await sql`
    with next as materialized (
      select id from workflow_runs
      where project_id = ${project_id} and blocked_on = ${workflowSlot(workflow_id)} and status = 'pending'
        and blocked_on is not null
      order by scheduled_at, id limit ${PAGE} for no key update skip locked
    )
    update workflow_runs w set blocked_on = null, updated_at = clock()
    from next n where w.project_id = ${project_id} and w.id = n.id`.execute(tx.db);
  if (await hasWaiting(tx, workflow)) recordSkipped(tx, [workflow]);
}
