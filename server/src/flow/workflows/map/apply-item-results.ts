import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { childOutput } from "../progress/apply-results.ts";
import { cancelStep, type LoadedMap, type LoadedRun } from "../progress/loaded-run.ts";
import { cancelItems } from "./cancel-items.ts";
import { settleMap } from "./settle-map.ts";

/** `is_ending`: its workflow run compensates and cancels running steps. */
export type MapKey = { project_id: string; workflow_run_id: string; step_ref: string; is_ending: boolean };

/**
 * Applies the results of ended runs to their items, in one statement for all loaded map steps: reads only running
 * items, however many there are in all. Then ends the steps that are finished by it.
 */
export async function applyItemResults(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  const maps = loadedRuns.flatMap(runningMaps);
  if (maps.length === 0) return;
  const keys = maps.map(({ key }) => key);
  const [, rows] = await Promise.all([moveEnded(tx, keys), readMaps(tx, keys)]);
  const byKey = new Map(rows.map((row) => [`${row.workflow_run_id}/${row.step_ref}`, row]));
  for (const { loaded, key } of maps) {
    const { workflow_run_id, step_ref } = key;
    const found = byKey.get(`${workflow_run_id}/${step_ref}`);
    if (!found) throw new Error(`the map step ${step_ref} of ${workflow_run_id} has no items`);
    loaded.maps.set(step_ref, found);
    await endIfDone(tx, loaded, step_ref, found);
  }
}

/**
 * An ending workflow run starts nothing more: if items are left, the step is canceled when the running ones have ended.
 */
async function endIfDone(tx: Ctx & InTransaction, loaded: LoadedRun, step_ref: string, map: LoadedMap): Promise<void> {
  const { planned_end } = loaded.run;
  if (planned_end !== null && map.running > 0) return;
  if (planned_end === null || (await haveAllCompleted(tx, keyOf(loaded, step_ref)))) {
    await settleMap(tx, loaded, step_ref);
    return;
  }
  await cancelItems(tx, [{ ...keyOf(loaded, step_ref), reason: planned_end.reason, keeps: false }]);
  cancelStep(loaded, step_ref, planned_end);
}

/**
 * Whether every item has completed although the workflow run is ending. The counts do not show it: canceled items are
 * in none of them.
 */
async function haveAllCompleted(
  tx: Ctx & InTransaction,
  { project_id, workflow_run_id, step_ref }: MapKey,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from map_items
    where project_id = ${project_id} and workflow_run_id = ${workflow_run_id} and step_ref = ${step_ref}
      and status <> 'completed'
    limit 1`.execute(tx.db);
  return rows.length === 0;
}

export function runningMaps(loaded: LoadedRun): { loaded: LoadedRun; key: MapKey }[] {
  return [...loaded.steps].flatMap(([step_ref, { status }]) =>
    status === "running" && loaded.version.byRef.get(step_ref)?.type === "map"
      ? [{ loaded, key: keyOf(loaded, step_ref) }]
      : [],
  );
}

function keyOf({ run }: LoadedRun, step_ref: string): MapKey {
  const is_ending = run.planned_end !== null;
  return { project_id: run.project_id, workflow_run_id: run.id, step_ref, is_ending };
}

async function readMaps(
  tx: Ctx & InTransaction,
  keys: readonly MapKey[],
): Promise<(LoadedMap & { workflow_run_id: string; step_ref: string })[]> {
  const { rows } = await sql<LoadedMap & { workflow_run_id: string; step_ref: string }>`
    /* prepared */
    select m.workflow_run_id, m.step_ref, m.scope, m.total, m.pending, m.running, m.failed, m.next_index
    from ${given(keys)} join map_steps m
      on m.project_id = g.project_id and m.workflow_run_id = g.workflow_run_id and m.step_ref = g.step_ref
    where ${fewRows("g.step_ref")}`.execute(tx.db);
  return rows;
}

function given(keys: readonly MapKey[]): Sql {
  return sql`json_to_recordset(${JSON.stringify(keys)}::json) as g(
    project_id uuid, workflow_run_id uuid, step_ref text, is_ending boolean)`;
}

/**
 * An item whose run was canceled, by any actor, has failed, unless its own ending workflow run canceled it. An end
 * never changes, so it needs no lock. Running items are read in order of their index: this walks the index and drops
 * its thousands of dead entries. Updates find rows by key alone: with status or kind in the condition, the planner
 * picks a nested loop over all pairs of rows.
 */
async function moveEnded(tx: Ctx & InTransaction, keys: readonly MapKey[]): Promise<void> {
  const isCanceled = sql`(e.status = 'canceled' and e.is_ending)`;
  await sql`
    /* prepared */
    with running as materialized (
      select i.* from ${given(keys)}, lateral (
        select m.running from map_steps m
        where m.project_id = g.project_id and m.workflow_run_id = g.workflow_run_id and m.step_ref = g.step_ref offset 0
      ) m, lateral (
        select i.project_id, i.workflow_run_id, i.step_ref, i.item_index, i.run_id, i.child_workflow_run_id, g.is_ending
        from map_items i
        where i.project_id = g.project_id and i.workflow_run_id = g.workflow_run_id and i.step_ref = g.step_ref
          and i.status = 'running'
        order by i.item_index limit m.running
      ) i
    ),
    ended as materialized (
      select i.*, r.status, r.result as output, r.error, 'run' as what from running i, lateral (
        select r.status, r.result, r.error from runs r
        where r.project_id = i.project_id and r.id = i.run_id and r.finished_at is not null offset 0
      ) r
      union all
      select i.*, c.status, c.output, c.error, 'child' from running i, lateral (
        select c.status, case when c.status = 'completed' then ${childOutput()} end as output, c.error
        from workflow_runs c
        where c.project_id = i.project_id and c.id = i.child_workflow_run_id and c.finished_at is not null offset 0
      ) c
    ),
    moved as (
      update map_items i set prev_status = i.status,
        status = case when e.status = 'completed' then 'completed' when ${isCanceled} then 'canceled' else 'failed' end,
        output = case when e.status = 'completed' then coalesce(e.output, 'null') end,
        error = case when e.status <> 'completed' and not ${isCanceled} then jsonb_build_object(
          'code', case when e.what = 'child' then 'child_' || e.status when e.status = 'canceled' then 'run_canceled'
            else coalesce(e.error ->> 'code', e.status) end,
          'message', coalesce(e.error ->> 'message', 'Its run ended ' || e.status || '.')) end,
        finished_at = clock(), updated_at = clock()
      from ended e
      where i.project_id = e.project_id and i.workflow_run_id = e.workflow_run_id and i.step_ref = e.step_ref
        and i.item_index = e.item_index and case when i.status = 'running' then true else false end
        and ${fewRows("e.what")}
      returning i.project_id, i.workflow_run_id, i.step_ref, i.status, i.child_workflow_run_id
    ),
    acked as (
      delete from outbox f using moved m
      where f.project_id = m.project_id and f.transition_id = m.child_workflow_run_id::text
        and f.kind || '' = 'child_workflow_ended' and f.target_id = m.workflow_run_id::text
    )
    update map_steps m set running = m.running - t.ended, failed = m.failed + t.failed
    from (
      select project_id, workflow_run_id, step_ref, count(*)::int as ended,
        (count(*) filter (where status = 'failed'))::int as failed
      from moved group by project_id, workflow_run_id, step_ref
    ) t
    where m.project_id = t.project_id and m.workflow_run_id = t.workflow_run_id and m.step_ref = t.step_ref
      and ${fewRows("t.step_ref")}`.execute(tx.db);
}
