import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { jsonRoom } from "../../../platform/json/json-room.ts";
import { yieldToEventLoop } from "../../../platform/time-slices.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { reserveBudget, writeReservations } from "../../budget/reserve-budget.ts";
import { enqueueRuns } from "../../runs/create/enqueue-runs.ts";
import type { Enqueued, NewRun, Starts } from "../../runs/create/new-run.ts";
import { chooseStarts, releaseStarts, startCreated } from "../../runs/create/start-locally.ts";
import { findTriggerableJob } from "../../runs/create/triggerable-job.ts";
import { type WrittenItem, writeItems } from "../map/write-items.ts";
import { createWorkflowRuns } from "../start/create-workflow-runs.ts";
import type { NewWorkflowRun } from "../start/new-workflow-run.ts";
import { findTriggerableWorkflow } from "../start/triggerable-workflow.ts";
import { WORKFLOWS_DUE_TOPIC } from "../workflow-run-changes.ts";
import { type LoadedMap, type LoadedRun, stepOf } from "./loaded-run.ts";

/** A step or map item, and the run or workflow run to create for it. */
export type Start = { loaded: LoadedRun; step_ref: string; item_index?: number } & (
  | { run: NewRun; child?: undefined }
  | { run?: undefined; child: NewWorkflowRun }
);

/** Returns the workflow runs to be planned again: the job or workflow of a step has changed since it was prepared. */
export async function createStarts(tx: Ctx & InTransaction, starts: readonly Start[]): Promise<LoadedRun[]> {
  if (starts.length === 0) return [];
  const notCreated = new Set<Start>();
  const stale = [
    ...(await createRuns(tx, starts.filter(isRun), notCreated)),
    ...(await createChildren(tx, starts.filter(isChild), notCreated)),
  ];
  for (const start of notCreated) undoStart(start);
  await writeItems(tx, starts.filter((start) => !notCreated.has(start)).flatMap(itemOf), starts.filter(isItem));
  return stale.map(({ loaded }) => loaded);
}

type RunStart = Start & { run: NewRun };
type ChildStart = Start & { child: NewWorkflowRun };

function isRun(start: Start): start is RunStart {
  return start.run !== undefined;
}

function isChild(start: Start): start is ChildStart {
  return start.child !== undefined;
}

function isItem({ item_index }: Start): boolean {
  return item_index !== undefined;
}

/** This instance starts some of them after the commit, in slots reserved now. */
async function createRuns(tx: Ctx & InTransaction, starts: RunStart[], notCreated: Set<Start>): Promise<Start[]> {
  if (starts.length === 0) return [];
  const runs = starts.map(({ run }) => run);
  await reserveBudget(tx, runs, "block");
  for (const { loaded, run } of starts) if (run.reserved_microusd !== undefined) loaded.isFunded = true;
  const chosen = chooseStarts(tx, runs);
  tx.afterRollback((ctx) => releaseStarts(ctx, runs, chosen));
  const enqueued = await enqueueInPages(tx, runs, chosen);
  tx.afterCommit((ctx) => startCreated(ctx, runs, chosen, enqueued));
  await writeReservations(tx, runs, enqueued);
  const stale = starts.filter(({ run }) => !enqueued.has(run.id));
  for (const start of stale) notCreated.add(start);
  // The cached version is older than the one that refused.
  for (const { run } of distinct(stale, ({ run }) => run.job_id))
    await findTriggerableJob(tx, run.project_id, run.job_id);
  return stale;
}

/** The size of payloads and outputs in one statement: five hundred steps may each pass on a megabyte of payload. */
const MAX_PAGE_CHARACTERS = 262_144;

async function enqueueInPages(tx: Ctx & InTransaction, runs: readonly NewRun[], starts: Starts): Promise<Enqueued> {
  const all: Enqueued = new Map();
  let [first, left] = [0, MAX_PAGE_CHARACTERS];
  for (const [index, { payload, parent_outputs }] of runs.entries()) {
    await yieldToEventLoop();
    left = jsonRoom(parent_outputs, jsonRoom(payload, left));
    if (left >= 0 && index < runs.length - 1) continue;
    // Serializing a large payload takes as long as measuring it.
    if (left < 0) await yieldToEventLoop();
    for (const [id, run] of await enqueueRuns(tx, runs.slice(first, index + 1), starts)) all.set(id, run);
    [first, left] = [index + 1, MAX_PAGE_CHARACTERS];
  }
  return all;
}

/** Created pending: the task for due runs starts them after the commit. */
async function createChildren(tx: Ctx & InTransaction, starts: ChildStart[], notCreated: Set<Start>): Promise<Start[]> {
  if (starts.length === 0) return [];
  const created = await createWorkflowRuns(
    tx,
    starts.map(({ child }) => child),
    [],
  );
  if (created.size > 0) wake(tx, WORKFLOWS_DUE_TOPIC);
  const stale = starts.filter(({ child }) => !created.has(child.id));
  for (const start of stale) notCreated.add(start);
  for (const { child } of distinct(stale, ({ child }) => child.workflow_id)) {
    await findTriggerableWorkflow(tx, child.project_id, child.workflow_id);
  }
  return stale;
}

function distinct<T>(all: readonly T[], keyOf: (each: T) => string): T[] {
  return [...new Map(all.map((each) => [keyOf(each), each])).values()];
}

/** As if it had not been prepared. */
export function undoStart({ loaded, step_ref, item_index }: Start): void {
  if (item_index !== undefined) {
    const map = loaded.maps.get(step_ref) as LoadedMap;
    map.pending++;
    map.running--;
    map.next_index = Math.min(map.next_index, item_index);
    return;
  }
  const step = stepOf(loaded, step_ref);
  step.status = "pending";
  step.run_id = null;
  step.child_workflow_run_id = null;
  loaded.decisions = loaded.decisions.filter((each) => each.step_ref !== step_ref || each.decision_type !== "start");
}

function itemOf({ loaded, step_ref, item_index, run, child }: Start): WrittenItem[] {
  if (item_index === undefined) return [];
  const target = run ? { run_id: run.id } : { child_workflow_run_id: child.id };
  return [{ loaded, step_ref, item_index, status: "running", ...target }];
}
