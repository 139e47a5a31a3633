import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { PlannedStart } from "../progress/loaded-run.ts";
import { addDecision, type LoadedMap, type LoadedRun, stepOf } from "../progress/loaded-run.ts";
import { settleMap } from "./settle-map.ts";

/** Opens the map steps among those to be started. Returns the runs in which one ended at once: its list is empty. */
export async function startMaps(tx: Ctx & InTransaction, planned: readonly PlannedStart[]): Promise<LoadedRun[]> {
  const maps = planned.flatMap(({ loaded, start: { step_ref, rendered, reason } }) => {
    if (rendered.type !== "map") return [];
    const { generation } = stepOf(loaded, step_ref);
    const { items, scope } = rendered;
    const map = {
      project_id: loaded.run.project_id,
      workflow_run_id: loaded.run.id,
      step_ref,
      generation,
      scope,
      items,
    };
    return [{ loaded, step_ref, reason, map }];
  });
  if (maps.length === 0) return [];
  const opened = await openMaps(
    tx,
    maps.map(({ map }) => map),
  );
  const over: LoadedRun[] = [];
  for (const [nth, { loaded, step_ref, reason }] of maps.entries()) {
    const map = opened[nth];
    if (!map) throw new Error("a map was not opened");
    loaded.maps.set(step_ref, map);
    stepOf(loaded, step_ref).status = "running";
    addDecision(loaded, "start", step_ref, `${reason}; ${map.pending} of ${map.total} items are pending`);
    if (await settleMap(tx, loaded, step_ref)) over.push(loaded);
  }
  return over;
}

/** A map step that is started, with its current list. */
type NewMap = {
  project_id: string;
  workflow_run_id: string;
  step_ref: string;
  generation: number;
  scope: Record<string, unknown>;
  items: readonly unknown[];
};

/**
 * Creates the items of map steps. A retried step has its items already: completed ones stay, and the rest is pending
 * again. Its list is evaluated again only if a replay deleted them.
 */
export async function openMaps(tx: Ctx & InTransaction, maps: readonly NewMap[]): Promise<LoadedMap[]> {
  const retried = maps.filter(({ generation }) => generation > 1);
  const reopened = retried.length > 0 ? await reopenItems(tx, retried) : new Map<string, LoadedMap>();
  const fresh = maps.filter((map) => !reopened.has(nameOf(map)));
  if (fresh.length > 0) await insertItems(tx, fresh);
  return maps.map((map) => reopened.get(nameOf(map)) ?? untouched(map));
}

function nameOf({ workflow_run_id, step_ref }: { workflow_run_id: string; step_ref: string }): string {
  return `${workflow_run_id}/${step_ref}`;
}

function untouched({ scope, items }: NewMap): LoadedMap {
  return { scope, total: items.length, pending: items.length, running: 0, failed: 0, next_index: 0 };
}

async function insertItems(tx: Ctx & InTransaction, maps: readonly NewMap[]): Promise<void> {
  await sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(maps)}::json) as g(
        project_id uuid, workflow_run_id uuid, step_ref text, generation int, scope jsonb, items jsonb)
    ),
    counted as (
      insert into map_steps (project_id, workflow_run_id, step_ref, scope, total, pending, running, failed)
      select project_id, workflow_run_id, step_ref, scope, jsonb_array_length(items), jsonb_array_length(items), 0, 0
      from given
    )
    insert into map_items (
      project_id, workflow_run_id, step_ref, item_index, generation, status, item, created_at, updated_at)
    select g.project_id, g.workflow_run_id, g.step_ref, e.nth - 1, g.generation, 'pending', e.item, clock(), clock()
    from given g, jsonb_array_elements(g.items) with ordinality as e(item, nth)`.execute(tx.db);
}

/** None of them runs: resetting the step has canceled them. */
async function reopenItems(tx: Ctx & InTransaction, maps: readonly NewMap[]): Promise<Map<string, LoadedMap>> {
  const given = maps.map(({ items: _, ...map }) => map);
  const { rows } = await sql<LoadedMap & { workflow_run_id: string; step_ref: string }>`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(given)}::json) as g(
        project_id uuid, workflow_run_id uuid, step_ref text, generation int, scope jsonb)
      where ${fewRows("g.step_ref")}
    ),
    moved as (
      update map_items i set prev_status = i.status, status = 'pending', generation = g.generation, error = null,
        run_id = null, child_workflow_run_id = null, started_at = null, finished_at = null, updated_at = clock()
      from given g
      where i.project_id = g.project_id and i.workflow_run_id = g.workflow_run_id and i.step_ref = g.step_ref
        and i.status in ('failed', 'canceled')
      returning i.workflow_run_id, i.step_ref
    )
    update map_steps m set scope = g.scope, running = 0, failed = 0, next_index = 0, pending = (
      select count(*) from moved d where d.workflow_run_id = g.workflow_run_id and d.step_ref = g.step_ref)
    from given g
    where m.project_id = g.project_id and m.workflow_run_id = g.workflow_run_id and m.step_ref = g.step_ref
    returning m.workflow_run_id, m.step_ref, m.scope, m.total, m.pending, m.running, m.failed, m.next_index`.execute(
    tx.db,
  );
  return new Map(rows.map(({ workflow_run_id, step_ref, ...map }) => [nameOf({ workflow_run_id, step_ref }), map]));
}
