import { appendDecisions, DECISION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { type DueRows, processDue } from "../../runs/maintain/process-due-rows.ts";
import { breakDeadlocks } from "../maintain/break-deadlocks.ts";
import { progressRuns } from "../progress/progress-runs.ts";
import { progressSoon } from "../progress/progress-soon.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";
import { recordSkipped, skippedWorkflows, startRuns, startWaiting, unblockAll } from "./start-waiting.ts";
import { listLimited, lockLimitsShared, moveSlots, type WorkflowKey, workflowSlot } from "./workflow-slots.ts";

const PAGE = 200;
const DUE_RUNS: DueRows = {
  name: "start-due-runs",
  rows: sql`workflow_runs t where t.status = 'pending' and t.blocked_on is null`,
  at: sql`t.scheduled_at`,
};

/** A workflow run is due. Matches the index by time, which leaves out stopped runs. */
export const HAS_DUE_WORKFLOW_RUNS = sql`(
  select w.project_id from workflow_runs w
  where w.status = 'pending' and w.blocked_on is null and w.stopped is null and w.scheduled_at <= clock()
  order by w.scheduled_at limit 1) is not null`;

/** `isBlockedBelow`: a run started by another found no slot. */
type Admitted = { started: WorkflowRunKey[]; isBlockedBelow: boolean };
type Due = { project_id: string; id: string; workflow_id: string };

/**
 * Starts due workflow runs: delayed ones, and those of workflows that limit their concurrent runs. A run that finds no
 * slot is blocked until a run of its workflow ends.
 */
export async function startDueRuns(ctx: Ctx): Promise<boolean> {
  // Those skipped in this pass are left to the next: their transactions need time to end.
  const before = [...skippedWorkflows(ctx)];
  const startPage: Parameters<typeof processDue>[3] = async (ofProject, max) =>
    startAll(ctx, await listDue(ctx, ofProject, max));
  const hasMore = await processDue(ctx, DUE_RUNS, PAGE, startPage);
  await startSkipped(ctx, before);
  return hasMore;
}

/** Those that were locked when a slot became free. A failed transaction leaves its workflow to the next pass. */
async function startSkipped(ctx: Ctx, workflows: readonly [string, WorkflowKey][]): Promise<void> {
  for (const [key, workflow] of workflows) {
    await inTransaction(ctx, (tx) => {
      tx.afterCommit((after) => skippedWorkflows(after).delete(key)); // before `recordSkipped`, which sets it again
      return startAgain(tx, workflow);
    });
  }
}

async function startAgain(tx: Ctx & InTransaction, workflow: WorkflowKey): Promise<void> {
  const [, [limited]] = await Promise.all([lockLimitsShared(tx, [workflow]), listLimited(tx, [workflow])]);
  if (!limited) return unblockAll(tx, workflow);
  progressSoon(tx, await startWaiting(tx, { ...limited, active: await moveSlots(tx, workflow, 0) }));
}

async function startAll(ctx: Ctx, due: Due[]): Promise<number> {
  for (const runs of groupBy(due, (run) => `${run.project_id} ${run.workflow_id}`).values()) {
    const { started, isBlockedBelow } = await inTransaction(ctx, (tx) => admit(tx, runs));
    await progressRuns(ctx, started);
    if (isBlockedBelow) await breakDeadlocks(ctx, (runs[0] as Due).project_id);
  }
  return due.length;
}

async function listDue(ctx: Ctx, ofProject: Sql, max: number): Promise<Due[]> {
  const { rows } = await sql<Due>`
    /* prepared */
    select project_id, id, workflow_id from workflow_runs
    where status = 'pending' and blocked_on is null and stopped is null and scheduled_at <= clock() ${ofProject}
    order by scheduled_at, id limit ${sql.lit(max)}`.execute(ctx.db);
  return rows;
}

/**
 * The counter is locked before any decision, as a release locks it before it starts the next run. A run below another
 * of its own workflow shares that one's slot: otherwise it would wait for that slot forever.
 */
async function admit(tx: Ctx & InTransaction, due: readonly Due[]): Promise<Admitted> {
  const { project_id, workflow_id } = due[0] as Due;
  const workflow = { project_id, workflow_id };
  const { rows: locked } = await sql<{ id: string; parent_workflow_run_id: string | null }>`
    select id, parent_workflow_run_id from workflow_runs
    where project_id = ${project_id} and id = any(${due.map((run) => run.id)}::uuid[]) and status = 'pending'
      and blocked_on is null and stopped is null and scheduled_at <= clock()
    order by id for no key update skip locked`.execute(tx.db);
  const ids = new Set(locked.map((row) => row.id));
  if (ids.size === 0) return { started: [], isBlockedBelow: false };
  const children = locked.filter((row) => row.parent_workflow_run_id !== null).map((row) => row.id);
  const below = await listBelowThemselves(tx, project_id, children);
  await startRuns(tx, project_id, below, { holds_slot: false });
  const inOrder = due.filter((run) => ids.has(run.id) && !below.includes(run.id)).map((run) => run.id);
  const { started, blocked } = await startInOrder(tx, workflow, inOrder);
  return {
    started: [...started, ...below.map((workflow_run_id) => ({ project_id, workflow_run_id }))],
    isBlockedBelow: blocked.some((id) => children.includes(id)),
  };
}

type InOrder = { started: WorkflowRunKey[]; blocked: string[] };

/** Runs that have waited longer start first, also those that are blocked already. */
async function startInOrder(tx: Ctx & InTransaction, workflow: WorkflowKey, ids: readonly string[]): Promise<InOrder> {
  const { project_id } = workflow;
  if (ids.length === 0) return { started: [], blocked: [] };
  const [, [limited]] = await Promise.all([lockLimitsShared(tx, [workflow]), listLimited(tx, [workflow])]);
  if (!limited) {
    await startRuns(tx, project_id, ids, { holds_slot: true });
    return { started: ids.map((workflow_run_id) => ({ project_id, workflow_run_id })), blocked: [] };
  }
  const active = await moveSlots(tx, workflow, 0);
  const waits = await isBehind(tx, workflow, ids);
  // They start with the runs ahead of them, which another transaction is about to start.
  if (waits) recordSkipped(tx, [workflow]);
  const started = await startWaiting(tx, { ...limited, active, newcomers: waits ? [] : ids });
  const blocked = ids.filter((id) => !started.some((run) => run.workflow_run_id === id));
  if (blocked.length > 0) await block(tx, workflow, blocked, limited.max);
  return { started, blocked };
}

/** Due runs of the workflow that come first, but are locked by another transaction. */
async function isBehind(
  tx: Ctx & InTransaction,
  { project_id, workflow_id }: WorkflowKey,
  ids: readonly string[],
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from workflow_runs w
    where w.project_id = ${project_id} and w.workflow_id = ${workflow_id} and w.status = 'pending'
      and w.blocked_on is null and w.stopped is null and w.id <> all(${[...ids]}::uuid[])
      and w.scheduled_at <= (
        select m.scheduled_at from workflow_runs m where m.project_id = ${project_id} and m.id = ${ids[0]})
      and (w.scheduled_at, w.id) < (
        select m.scheduled_at, m.id from workflow_runs m where m.project_id = ${project_id} and m.id = ${ids[0]})
    limit 1`.execute(tx.db);
  return rows.length > 0;
}

/** Until a run of the workflow ends. The reason is recorded in their explanation. */
async function block(
  tx: Ctx & InTransaction,
  { project_id, workflow_id }: WorkflowKey,
  ids: readonly string[],
  max: number,
): Promise<void> {
  const reason = `max_concurrent_runs (${max}) is reached: it starts when a run of the workflow ends`;
  await sql`
    with blocked as (
      update workflow_runs set blocked_on = ${workflowSlot(workflow_id)}, decisions = decisions + 1, updated_at = clock()
      where project_id = ${project_id} and id = any(${ids}::uuid[]) and status = 'pending'
      returning id, decisions
    ),
    decided as (
      insert into workflow_decisions (project_id, workflow_run_id, ordinal, step_ref, decision_type, reason, created_at)
      select ${project_id}, id, decisions, null, 'hold', ${reason}, clock() from blocked
      returning ${DECISION}
    ),
    ${appendDecisions()}
    select 1`.execute(tx.db);
  changesAppended(tx, "workflow_run");
}

/** Those with an ancestor of their own workflow. */
async function listBelowThemselves(tx: Ctx, project_id: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    with recursive above as (
      select w.id as child_id, w.workflow_id, w.parent_workflow_run_id as id from workflow_runs w
      where w.project_id = ${project_id} and w.id = any(${ids}::uuid[])
      union all
      select a.child_id, a.workflow_id, p.parent_workflow_run_id from above a cross join lateral (
        select w.workflow_id, w.parent_workflow_run_id from workflow_runs w
        where w.project_id = ${project_id} and w.id = a.id offset 0
      ) p
      where p.workflow_id <> a.workflow_id
    )
    select distinct a.child_id as id from above a cross join lateral (
      select 1 from workflow_runs w where w.project_id = ${project_id} and w.id = a.id and w.workflow_id = a.workflow_id
      offset 0
    ) p
    order by 1`.execute(tx.db);
  return rows.map((row) => row.id);
}
