import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { workflowSlot } from "../start/workflow-slots.ts";
import { cancelWorkflowRun } from "../stop/cancel-workflow-run.ts";

const MAX_DEADLOCKS = 100;
const MAX_WAITS = 5_000; // parents with a blocked descendant; the newest

const DEADLOCK = "workflow_deadlock";
const REASON =
  "Deadlock on max_concurrent_runs: the workflow runs that hold the slots are waiting for descendants that need a slot themselves, so none of them can end. This run was canceled to break the deadlock, because its root workflow run is the newest.";

/**
 * Chains of workflow runs that hold slots of `max_concurrent_runs` and wait for each other's: in each cycle the waiting
 * run of the newest chain is canceled, which fails the step that started it. A cycle closes only when a descendant is
 * blocked, so the search runs after that commit; the last of concurrent searches sees the whole cycle.
 */
export async function breakDeadlocks(ctx: Ctx, project_id: string): Promise<number> {
  for (let broken = 0; broken < MAX_DEADLOCKS; broken++) {
    const { waits, bounds } = await readSlots(ctx, project_id);
    const victim = findDeadlocked(waits, bounds);
    if (!victim) return broken;
    const { id: workflow_run_id, workflow_id } = victim;
    ctx.log.warn({ project_id, workflow_run_id, workflow_id }, "workflow runs were deadlocked; one was canceled");
    const why = { cause: DEADLOCK, reason: REASON, by: { id: null, name: "the service" } } as const;
    await cancelWorkflowRun(ctx, { project_id, workflow_run_id }, why);
  }
  return MAX_DEADLOCKS;
}

/** The projects where a cycle is possible: those with a blocked descendant. For reconciliation. */
export async function listBlockedBelow(ctx: Ctx, max: number): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select distinct project_id from workflow_runs
    where status = 'pending' and blocked_on is not null and parent_workflow_run_id is not null limit ${max}`.execute(
    ctx.db,
  );
  return rows.map((row) => row.project_id);
}

type Slots = { waits: SlotWait[]; bounds: SlotBound[] };

/** One statement, so one snapshot. Of the runs that a parent has started of one workflow, a single one is read. */
async function readSlots(ctx: Ctx, project_id: string): Promise<Slots> {
  const { rows } = await sql<Slots>`
    with recursive blocked as materialized (
      select distinct on (w.parent_workflow_run_id, w.workflow_id)
        w.id, w.workflow_id, w.parent_workflow_run_id, w.root_workflow_run_id
      from workflow_runs w
      where w.project_id = ${project_id} and w.status = 'pending' and w.blocked_on is not null
        and w.blocked_on like ${`${workflowSlot("")}%`} and w.parent_workflow_run_id is not null
      order by w.parent_workflow_run_id desc, w.workflow_id, w.id desc limit ${MAX_WAITS}
    ),
    line as (
      select p.id as blocked_id, p.parent_workflow_run_id as id from blocked p
      union all
      select l.blocked_id, w.parent_workflow_run_id from line l cross join lateral (
        select w.parent_workflow_run_id from workflow_runs w
        where w.project_id = ${project_id} and w.id = l.id and w.parent_workflow_run_id is not null offset 0
      ) w
    ),
    waits as (
      select p.id, p.workflow_id, coalesce(p.root_workflow_run_id, p.id) as root_id, array(
        select l.id from line l cross join lateral (
          select 1 from workflow_runs w
          where w.project_id = ${project_id} and w.id = l.id and w.holds_slot and w.finished_at is null offset 0
        ) holding where l.blocked_id = p.id
      ) as above
      from blocked p
    ),
    bounds as (
      select f.id as workflow_id, f.max_concurrent_runs as max, array(
        select w.id from workflow_runs w
        where w.project_id = ${project_id} and w.workflow_id = f.id and w.finished_at is null and w.holds_slot
      ) as holders
      from workflows f where f.project_id = ${project_id} and f.id in (select p.workflow_id from blocked p)
    )
    select coalesce((select json_agg(w) from waits w), '[]') as waits,
      coalesce((select json_agg(b) from bounds b), '[]') as bounds`.execute(ctx.db);
  return rows[0] ?? { waits: [], bounds: [] };
}

/** A workflow run that a step has started and that is blocked on a slot. `above`: its ancestors that hold one. */
export type SlotWait = { id: string; workflow_id: string; root_id: string; above: string[] };

/** The slots of a workflow and their holders. `max` null: it is no longer limited. */
export type SlotBound = { workflow_id: string; max: number | null; holders: string[] };

/**
 * Of the waits that will never end, the one with the newest chain; undefined: there are none. A run ends no sooner than
 * all its descendants, so a workflow is stuck if its slots are taken and each holder is an ancestor of a run that waits
 * for a stuck workflow. Found by eliminating all others.
 */
export function findDeadlocked(waits: readonly SlotWait[], bounds: readonly SlotBound[]): SlotWait | undefined {
  const full = bounds.filter(({ max, holders }) => max !== null && holders.length > 0 && holders.length >= max);
  const stuck = keepStuck(waits, full);
  const holders = new Set(stuck.flatMap((bound) => bound.holders));
  const names = new Set(stuck.map(({ workflow_id }) => workflow_id));
  const deadlocked = waits.filter((wait) => names.has(wait.workflow_id) && wait.above.some((id) => holders.has(id)));
  return deadlocked.toSorted(byAge).at(-1);
}

function keepStuck(waits: readonly SlotWait[], bounds: readonly SlotBound[]): readonly SlotBound[] {
  const names = new Set(bounds.map(({ workflow_id }) => workflow_id));
  const blocked = new Set(waits.flatMap((wait) => (names.has(wait.workflow_id) ? wait.above : [])));
  const left = bounds.filter(({ holders }) => holders.every((id) => blocked.has(id)));
  return left.length === bounds.length ? left : keepStuck(waits, left);
}

/** Ids rise with time. */
function byAge(a: SlotWait, b: SlotWait): number {
  if (a.root_id !== b.root_id) return a.root_id < b.root_id ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
