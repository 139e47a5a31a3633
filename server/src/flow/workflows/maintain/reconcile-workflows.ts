import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { logFailure } from "../../../platform/logging/log-failure.ts";
import { countRepairs } from "../../../platform/repairs.ts";
import { perService } from "../../../platform/service-state.ts";
import { progressRuns } from "../progress/progress-runs.ts";
import { progressSoon } from "../progress/progress-soon.ts";
import { changeWorkflowLimit } from "../start/change-workflow-limit.ts";
import { listLimited, lockLimitExclusive, type WorkflowKey, workflowSlot } from "../start/workflow-slots.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";
import { breakDeadlocks, listBlockedBelow } from "./break-deadlocks.ts";
import { listIdleRuns, SCAN_START } from "./list-idle-runs.ts";

const PAGE = 500;
const LIVE_PAGE = 5_000;
const GRACE_SECS = 10;
const MAX_LOGGED = 10;

/**
 * The reconciliation of workflows: runs whose steps have ended without being progressed, runs in which nothing runs or
 * waits, and wrong slot counters. After a crash between a commit and its follow-up, the work is found here or in the
 * outbox; repairs are logged and counted. A run that was not progressed is a warning: the end of a step's run leaves no
 * outbox entry, so this is how it is applied after a crash.
 */
export async function reconcileWorkflows(ctx: Ctx): Promise<boolean> {
  const progressed = await progressStranded(ctx);
  const recounted = await recountWorkflowSlots(ctx);
  await breakAllDeadlocks(ctx);
  const repairs = { workflow_progressed: progressed, workflow_slots: recounted };
  await countRepairs(ctx, repairs);
  if (recounted > 0) ctx.log.error(repairs, "slot counters of workflows were wrong; repaired");
  return false;
}

/**
 * For the workflow runs of an instance that is gone: it no longer progresses them, however recent the end is. Not
 * awaited, and batched like any other end: runs of living instances are among them.
 */
export async function progressOrphans(ctx: Ctx): Promise<void> {
  progressSoon(ctx, Object.values(await listUnprogressed(ctx, 0)).flat());
}

/** The instance that blocked the last run of a cycle may have died before it searched. */
async function breakAllDeadlocks(ctx: Ctx): Promise<void> {
  for (const project_id of await listBlockedBelow(ctx, PAGE)) await breakDeadlocks(ctx, project_id);
}

/** Applied before the row limit: a page of steps in paused runs, which stay as they are, would hide all others. */
const IS_RUNNING = sql`exists (
  select 1 from workflow_runs w where w.project_id = s.project_id and w.id = s.workflow_run_id and w.status = 'running')`;

type Stranded = WorkflowRunKey & { decisions: number };

async function progressStranded(ctx: Ctx): Promise<number> {
  const found = { ...(await listUnprogressed(ctx, GRACE_SECS)), idle: await listIdle(ctx) };
  const moved = await progressAll(ctx, found);
  for (const [cause, keys] of Object.entries(found)) warnOfProgressed(ctx, cause, keys, new Set(moved));
  return moved.length;
}

async function listUnprogressed(ctx: Ctx, graceSecs: number): Promise<Record<string, Stranded[]>> {
  return {
    step_ended: await listEnded(ctx, graceSecs),
    child_ended: await listEndedBelow(ctx, graceSecs, PAGE),
    compensation_ended: await listEndedCompensations(ctx, graceSecs),
  };
}

/** Returns the ids of those that changed. */
async function progressAll(ctx: Ctx, found: Record<string, Stranded[]>): Promise<string[]> {
  const stranded = Object.values(found).flat();
  for (const key of stranded) {
    // One run that cannot be progressed must not keep the others from being repaired.
    await progressRuns(ctx, [key]).catch((error: unknown) =>
      logFailure(ctx, error, key, "a workflow run could not be progressed"),
    );
  }
  return stranded.length === 0 ? [] : listMoved(ctx, stranded);
}

/** The cause and some ids, so that repairs without a crash before them can be investigated. */
function warnOfProgressed(ctx: Ctx, cause: string, keys: readonly Stranded[], moved: ReadonlySet<string>): void {
  const ids = keys.map((key) => key.workflow_run_id).filter((id) => moved.has(id));
  if (ids.length === 0) return;
  const workflow_runs = ids.slice(0, MAX_LOGGED);
  ctx.log.warn(
    { cause, count: ids.length, workflow_runs },
    "workflow runs were not progressed in time; progressed now",
  );
}

/**
 * Running steps whose run has ended or is gone. Recent ones are skipped with a grace period: they may be being
 * progressed.
 */
async function listEnded(ctx: Ctx, graceSecs: number): Promise<Stranded[]> {
  const { rows } = await sql<Stranded>`
    select w.project_id, w.id as workflow_run_id, w.decisions from (
      select distinct s.project_id, s.workflow_run_id from step_runs s
      left join runs r on r.project_id = s.project_id and r.id = s.run_id
      where s.status = 'running' and ${IS_RUNNING} and s.type not in ('map', 'sub_workflow')
        and s.updated_at < clock() - ${graceSecs} * interval '1 second'
        and (r.id is null or r.finished_at < clock() - ${graceSecs} * interval '1 second')
      limit ${PAGE}
    ) g
    join workflow_runs w on w.project_id = g.project_id and w.id = g.workflow_run_id and w.status = 'running'`.execute(
    ctx.db,
  );
  return rows;
}

/** Running compensations whose run has ended. */
async function listEndedCompensations(ctx: Ctx, graceSecs: number): Promise<Stranded[]> {
  const { rows } = await sql<Stranded>`
    select w.project_id, w.id as workflow_run_id, w.decisions from (
      select s.project_id, s.workflow_run_id from step_runs s
      join runs r on r.project_id = s.project_id and r.id = s.compensation_run_id
      where s.compensation_status = 'running' and ${IS_RUNNING} and s.updated_at < clock() - ${graceSecs} * interval '1 second'
        and r.finished_at < clock() - ${graceSecs} * interval '1 second'
      limit ${PAGE}
    ) g
    join workflow_runs w on w.project_id = g.project_id and w.id = g.workflow_run_id and w.status = 'running'`.execute(
    ctx.db,
  );
  return rows;
}

/** Where the last scan for idle runs ended. */
const cursorOf = perService(() => ({ next: SCAN_START }));

async function listIdle(ctx: Ctx): Promise<Stranded[]> {
  const cursor = cursorOf(ctx);
  const { idle, next } = await listIdleRuns(ctx, { after: cursor.next, page: LIVE_PAGE, graceSecs: GRACE_SECS });
  cursor.next = next;
  return idle;
}

/** A run that stays where it is, for example blocked on the budget, is not counted as a repair. */
async function listMoved(ctx: Ctx, before: readonly Stranded[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct w.id
    from json_to_recordset(${JSON.stringify(before)}::json) as g(project_id uuid, workflow_run_id uuid, decisions int)
    join workflow_runs w on w.project_id = g.project_id and w.id = g.workflow_run_id and w.decisions > g.decisions`.execute(
    ctx.db,
  );
  return rows.map(({ id }) => id);
}

/**
 * The counter of a limited workflow equals the active runs that hold a slot, and no run waits while one is free:
 * compared in one statement, so in one snapshot, and repaired while no run of the workflow starts or ends.
 */
async function recountWorkflowSlots(ctx: Ctx): Promise<number> {
  const { rows } = await sql<WorkflowKey>`
    select f.project_id, f.id as workflow_id
    from concurrency_counters c
    join workflows f on f.project_id = c.project_id and c.key = ${workflowSlot("")} || f.id
    left join lateral (
      select count(*)::int as held from workflow_runs w
      where w.project_id = f.project_id and w.workflow_id = f.id and w.finished_at is null and w.holds_slot
    ) h on true
    where c.key like 'workflow:%' and (
      f.max_concurrent_runs is not null and c.active <> coalesce(h.held, 0)
      or c.active < f.max_concurrent_runs is not false and exists (
        select 1 from workflow_runs w
        where w.project_id = f.project_id and w.status = 'pending' and w.blocked_on = c.key and w.blocked_on is not null
          and w.stopped is null))
    limit ${PAGE}`.execute(ctx.db);
  for (const workflow of rows) await inTransaction(ctx, (tx) => recount(tx, workflow));
  return rows.length;
}

async function recount(tx: Ctx & InTransaction, { project_id, workflow_id }: WorkflowKey): Promise<void> {
  const workflow = { project_id, workflow_id };
  await lockLimitExclusive(tx, workflow);
  const [limited] = await listLimited(tx, [workflow]);
  await changeWorkflowLimit(tx, { ...workflow, max: limited?.max ?? null });
}

/**
 * Workflow runs with running steps whose children have ended: the child workflow run, the run of an item, or all
 * started items while others are pending. Recent ones are skipped: they may be being progressed.
 */
async function listEndedBelow(
  ctx: Ctx,
  graceSecs: number,
  max: number,
): Promise<(WorkflowRunKey & { decisions: number })[]> {
  const grace = sql`clock() - ${graceSecs} * interval '1 second'`;
  const { rows } = await sql<WorkflowRunKey & { decisions: number }>`
    select w.project_id, w.id as workflow_run_id, w.decisions from (
      select distinct s.project_id, s.workflow_run_id from step_runs s, lateral (
        select 1 from workflow_runs c
        where c.project_id = s.project_id and c.id = s.child_workflow_run_id and c.finished_at < ${grace}
        union all
        select 1 from map_steps m
        where s.type = 'map' and m.project_id = s.project_id and m.workflow_run_id = s.workflow_run_id
          and m.step_ref = s.step_ref and (m.running = 0 or exists (
            select 1 from map_items i
            left join runs r on r.project_id = i.project_id and r.id = i.run_id
            left join workflow_runs c on c.project_id = i.project_id and c.id = i.child_workflow_run_id
            where i.project_id = m.project_id and i.workflow_run_id = m.workflow_run_id and i.step_ref = m.step_ref
              and i.status = 'running' and coalesce(r.finished_at, c.finished_at) < ${grace}))
        limit 1
      ) x
      where s.status = 'running' and s.type in ('map', 'sub_workflow') and s.updated_at < ${grace} and exists (
        select 1 from workflow_runs w
        where w.project_id = s.project_id and w.id = s.workflow_run_id and w.status = 'running')
      limit ${max}
    ) g
    join workflow_runs w on w.project_id = g.project_id and w.id = g.workflow_run_id and w.status = 'running'`.execute(
    ctx.db,
  );
  return rows;
}
