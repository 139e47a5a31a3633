import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { groupBy } from "../../platform/group-by.ts";
import { type DueRows, processDue } from "../process-due-rows.ts";
import { breakDeadlocks } from "./break-deadlocks.ts";
import { progressCaused } from "./progress-outbox.ts";
import { progressRuns } from "./progress-runs.ts";
import { workflowSlot } from "./release-workflow-slots.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";

const PAGE = 200;
const DUE_RUNS: DueRows = {
  name: "start-due-runs",
  rows: sql`workflow_runs t where t.status = 'pending' and t.blocked_on is null`,
  at: sql`t.scheduled_at`,
};

/** `isBlockedBelow`: a run started by another found no slot. */
type Admitted = { started: WorkflowRunKey[]; isBlockedBelow: boolean };
type Due = { project_id: string; id: string; workflow_id: string };

/**
 * Starts due workflow runs: delayed ones, and those of workflows that limit their concurrent runs. A run that finds no
 * slot is blocked until a run of its workflow ends.
 */
export function startDueRuns(ctx: Ctx): Promise<boolean> {
  return processDue(ctx, DUE_RUNS, PAGE, async (ofProject, most) => startAll(ctx, await listDue(ctx, ofProject, most)));
}

async function startAll(ctx: Ctx, due: Due[]): Promise<number> {
  for (const runs of groupBy(due, (run) => `${run.project_id} ${run.workflow_id}`).values()) {
    const { started, isBlockedBelow } = await inTransaction(ctx, (tx) => admit(tx, runs));
    await progressRuns(ctx, started);
    if (isBlockedBelow) await breakDeadlocks(ctx, (runs[0] as Due).project_id);
  }
  return due.length;
}

async function listDue(ctx: Ctx, ofProject: RawBuilder<unknown>, most: number): Promise<Due[]> {
  const { rows } = await sql<Due>`
    /* prepared */
    select project_id, id, workflow_id from workflow_runs
    where status = 'pending' and blocked_on is null and stopped is null and scheduled_at <= clock() ${ofProject}
    order by scheduled_at, id limit ${sql.lit(most)}`.execute(ctx.db);
  return rows;
}

/**
 * The counter is locked before any decision, as a release locks it before it unblocks. A run below another of its own
 * workflow shares that one's slot: otherwise it would wait for it for ever.
 */
async function admit(tx: Ctx & InTransaction, due: readonly Due[]): Promise<Admitted> {
  const { project_id, workflow_id } = due[0] as Due;
  const { rows: locked } = await sql<{ id: string; parent_workflow_run_id: string | null }>`
    select id, parent_workflow_run_id from workflow_runs
    where project_id = ${project_id} and id = any(${due.map((run) => run.id)}::uuid[]) and status = 'pending'
      and blocked_on is null and stopped is null and scheduled_at <= clock()
    order by id for no key update skip locked`.execute(tx.db);
  const ids = new Set(locked.map((row) => row.id));
  if (ids.size === 0) return { started: [], isBlockedBelow: false };
  const children = locked.filter((row) => row.parent_workflow_run_id !== null).map((row) => row.id);
  const below = await listBelowThemselves(tx, project_id, children);
  const inOrder = due.filter((run) => ids.has(run.id) && !below.includes(run.id)).map((run) => run.id);
  const room = await takeSlots(tx, project_id, workflow_id, inOrder.length);
  const admitted = [...below, ...inOrder.slice(0, room.count)];
  await sql`
    with admitted as (
      update workflow_runs set prev_status = status, status = 'running', moves = moves + 1, started_at = clock(),
        deadline = clock() + timeout_secs * interval '1 second', 
        holds_slot = ${room.isLimited}::boolean and id <> all(${below}::uuid[]), updated_at = clock()
      where project_id = ${project_id} and id = any(${admitted}::uuid[]) and status = 'pending'
      returning id
    ),
    ${progressCaused(project_id, sql`admitted`)}
    select 1 from admitted`.execute(tx.db);
  const blocked = inOrder.slice(room.count);
  if (blocked.length > 0) await block(tx, { project_id, workflow_id }, blocked, room.most);
  return {
    started: admitted.map((workflow_run_id) => ({ project_id, workflow_run_id })),
    isBlockedBelow: blocked.some((id) => children.includes(id)),
  };
}

/** Until a run of the workflow ends. The reason is recorded in their explanation. */
async function block(
  tx: Ctx & InTransaction,
  { project_id, workflow_id }: Omit<Due, "id">,
  ids: readonly string[],
  most: number | null,
): Promise<void> {
  const reason = `max_concurrent_runs (${most}) is reached: it starts when a run of the workflow ends`;
  await sql`
    with blocked as (
      update workflow_runs set blocked_on = ${workflowSlot(workflow_id)}, decisions = decisions + 1, updated_at = clock()
      where project_id = ${project_id} and id = any(${ids}::uuid[]) and status = 'pending'
      returning id, decisions
    )
    insert into workflow_decisions (project_id, workflow_run_id, ordinal, step_ref, decision_type, reason, created_at)
    select ${project_id}, id, decisions, null, 'hold', ${reason}, clock() from blocked`.execute(tx.db);
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

async function takeSlots(tx: Ctx & InTransaction, project_id: string, workflow_id: string, wanted: number) {
  const { rows: limits } = await sql<{ max_concurrent_runs: number | null }>`
    select max_concurrent_runs from workflows where project_id = ${project_id} and id = ${workflow_id}`.execute(tx.db);
  const most = limits[0]?.max_concurrent_runs ?? null;
  if (most === null) return { count: wanted, isLimited: false, most };
  const key = workflowSlot(workflow_id);
  await sql`
    insert into concurrency_counters (project_id, key) values (${project_id}, ${key})
    on conflict (project_id, key) do nothing`.execute(tx.db);
  const { rows } = await sql<{ active: number }>`
    select active from concurrency_counters where project_id = ${project_id} and key = ${key} for update`.execute(
    tx.db,
  );
  const count = Math.max(0, Math.min(wanted, most - (rows[0]?.active ?? 0)));
  await sql`
    update concurrency_counters set active = active + ${count}
    where project_id = ${project_id} and key = ${key}`.execute(tx.db);
  return { count, isLimited: true, most };
}
