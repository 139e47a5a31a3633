import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import { yieldToEventLoop } from "../../../platform/time-slices.ts";
import type { NewRun } from "../../runs/create/new-run.ts";
import { contextOfStep } from "../../trace.ts";
import type { MapStep, StepError } from "../plan/definition.ts";
import { renderItem } from "../plan/render-map.ts";
import { type LoadedMap, type LoadedRun, stepOf } from "../progress/loaded-run.ts";
import { prepareChild, prepareStepRun } from "../progress/prepare-step-run.ts";
import type { NewWorkflowRun } from "../start/new-workflow-run.ts";
import { type MapKey, runningMaps } from "./apply-item-results.ts";
import { settleMap } from "./settle-map.ts";
import { writeItems } from "./write-items.ts";

/** An item and the run to create for it. */
type ItemStart = { loaded: LoadedRun; step_ref: string; item_index: number } & (
  | { run: NewRun; child?: undefined }
  | { run?: undefined; child: NewWorkflowRun }
);

type Item = { workflow_run_id: string; step_ref: string; item_index: number; item: unknown };
type Room = { loaded: LoadedRun; key: MapKey; step: MapStep; map: LoadedMap; room: number };

/**
 * The maximum per transaction: the caller who triggered the workflow gets a response before the rest starts, and locks
 * are not held long.
 */
const MAX_AT_CREATION = 50;
const MAX_BATCH = 200;

/** Where items fail before they start, more of them are read in one go. */
const MAX_SCANNED = 1_000;

/**
 * Prepares the next items of the loaded map steps, as many as may run in parallel with the running ones. An item that
 * cannot be started fails. `again`: workflow runs in which this ended a map, to be planned again.
 */
export async function startItems(
  tx: Ctx & InTransaction,
  loadedRuns: readonly LoadedRun[],
): Promise<{ starts: ItemStart[]; again: Set<LoadedRun> }> {
  const starts: ItemStart[] = [];
  const again = new Set<LoadedRun>();
  let rooms = loadedRuns.flatMap(roomsOf);
  for (let minRead = 0; rooms.length > 0; minRead = MAX_SCANNED) {
    const items = await readNext(tx, rooms, minRead);
    const filled: Filled[] = [];
    for (const room of rooms) filled.push(await fill(tx, room, items));
    starts.push(...filled.flatMap((each) => each.starts));
    const failing = rooms.filter((_, nth) => filled[nth]?.hasFailed);
    for (const { loaded, key } of failing) if (await settleMap(tx, loaded, key.step_ref)) again.add(loaded);
    rooms = failing.filter(({ room, map, loaded, key }) => room > 0 && map.pending > 0 && isRunning(loaded, key));
  }
  return { starts: starts.filter(({ loaded, step_ref }) => stepOf(loaded, step_ref).status === "running"), again };
}

function roomsOf(loaded: LoadedRun): Room[] {
  if (loaded.end !== null) return [];
  return runningMaps(loaded).flatMap(({ key }) => {
    const step = loaded.version.byRef.get(key.step_ref) as MapStep;
    const map = loaded.maps.get(key.step_ref) as LoadedMap;
    const wanted = Math.min(step.max_parallel - map.running, map.pending);
    const room = Math.min(wanted, loaded.isNew ? MAX_AT_CREATION : MAX_BATCH);
    if (room < wanted) enqueueRest(loaded, key, map);
    return room > 0 ? [{ loaded, key, step, map, room }] : [];
  });
}

function enqueueRest({ outbox }: LoadedRun, { project_id, workflow_run_id, step_ref }: MapKey, map: LoadedMap): void {
  const transition_id = `${workflow_run_id}:${step_ref}:${map.next_index}`;
  outbox.push({ project_id, transition_id, kind: "progress", target_id: workflow_run_id });
}

function isRunning(loaded: LoadedRun, { step_ref }: MapKey): boolean {
  return stepOf(loaded, step_ref).status === "running";
}

type Filled = { starts: ItemStart[]; hasFailed: boolean };

/** Starts as many as there are free slots; the following items stay as they are. */
async function fill(tx: Ctx & InTransaction, room: Room, items: readonly Item[]): Promise<Filled> {
  const { loaded, key, map } = room;
  const starts: ItemStart[] = [];
  const failures: { item_index: number; error: StepError }[] = [];
  for (const item of items) {
    await yieldToEventLoop();
    if (item.workflow_run_id !== key.workflow_run_id || item.step_ref !== key.step_ref) continue;
    if (room.room === 0) break;
    const prepared = await prepareItem(tx, room, item);
    map.next_index = item.item_index + 1;
    map.pending--;
    if ("code" in prepared) failures.push({ item_index: item.item_index, error: prepared });
    else starts.push({ loaded, step_ref: key.step_ref, item_index: item.item_index, ...prepared });
    if (!("code" in prepared)) room.room--;
  }
  map.failed += failures.length;
  map.running += starts.length;
  if (failures.length > 0) {
    await writeItems(
      tx,
      failures.map((failure) => ({ loaded, step_ref: key.step_ref, status: "failed", ...failure })),
    );
  }
  return { starts, hasFailed: failures.length > 0 };
}

type Prepared = { run: NewRun; child?: undefined } | { run?: undefined; child: NewWorkflowRun } | StepError;

async function prepareItem(tx: Ctx, { loaded, step, map }: Room, { item, item_index }: Item): Promise<Prepared> {
  const rendered = renderItem(step, map.scope, { item, index: item_index });
  if ("code" in rendered) return rendered;
  const { run } = loaded;
  const step_ref = `${step.step_ref}[${item_index}]`;
  const { generation } = stepOf(loaded, step.step_ref);
  if (step.workflow_id !== undefined) {
    const request = { workflow_id: step.workflow_id, step_ref, generation, payload: rendered.payload };
    const prepared = await prepareChild(tx, run, request);
    return "code" in prepared ? prepared : { child: prepared.run };
  }
  return prepareStepRun(
    tx,
    { project_id: run.project_id, job_id: step.job_id ?? "" },
    {
      payload: rendered.payload,
      // Outputs of other steps are already in its payload: otherwise the list itself would be sent with each item.
      parent_outputs: {},
      metadata: run.metadata,
      inherited_tags: run.tags,
      environment_id: run.environment_id,
      workflow_run_id: run.id,
      step_ref,
      step_generation: generation,
      created_by: `workflow_run:${run.id}`,
      trigger_type: "workflow",
      traceparent: contextOfStep(run, step_ref),
    },
  );
}

/** Nothing before `next_index` is pending, so a step of 10,000 items is read from its current position. */
async function readNext(tx: Ctx & InTransaction, rooms: readonly Room[], minRead: number): Promise<Item[]> {
  const given = rooms.map(({ key, map, room }) => ({
    ...key,
    next_index: map.next_index,
    room: Math.max(room, minRead),
  }));
  const { rows } = await sql<Item>`
    /* prepared */
    select i.* from json_to_recordset(${JSON.stringify(given)}::json)
      as g(project_id uuid, workflow_run_id uuid, step_ref text, next_index int, room int), lateral (
      select i.workflow_run_id, i.step_ref, i.item_index, i.item from map_items i
      where i.project_id = g.project_id and i.workflow_run_id = g.workflow_run_id and i.step_ref = g.step_ref
        and i.item_index >= g.next_index and i.status = 'pending'
      order by i.item_index limit g.room
    ) i
    where ${fewRows("g.step_ref")}
    order by i.workflow_run_id, i.step_ref, i.item_index`.execute(tx.db);
  return rows;
}
