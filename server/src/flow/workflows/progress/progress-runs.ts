import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { wake } from "../../../platform/wake.ts";
import { lockEventKeys } from "../../waits/send/lock-event-keys.ts";
import { compensateRuns } from "../compensate/compensate-runs.ts";
import { applyItemResults } from "../map/apply-item-results.ts";
import { notifyWorkflowRuns } from "../notify-workflow-runs.ts";
import type { WorkflowRunKey } from "../workflow-run-key.ts";
import { advanceRuns } from "./advance-runs.ts";
import { applyResults } from "./apply-results.ts";
import { endWorkflowRuns } from "./end-workflow-runs.ts";
import { loadOutputs } from "./load-outputs.ts";
import { loadPayloads } from "./load-payloads.ts";
import { lockAndLoadRuns } from "./load-runs.ts";
import type { LoadedRun } from "./loaded-run.ts";
import { emitReads, emits, noteEmits } from "./note-emits.ts";
import { endOf } from "./planned-end.ts";
import { readChildEnds } from "./read-child-ends.ts";
import { heldKey } from "./start-steps.ts";
import { writeSteps } from "./write-steps.ts";

/** `event_keys`: keys of waits to be opened, as the round before saw them. */
type ProgressRequest = WorkflowRunKey & { event_keys?: string[] };

/** A wait whose key changes from round to round is left to the next call. */
const MAX_ROUNDS = 5;

/**
 * Progresses workflow runs as far as possible: applies the results of ended runs, plans, starts ready steps, ends
 * finished runs. All of them in one transaction, under their locks. Idempotent.
 */
export async function progressRuns(ctx: Ctx, keys: readonly ProgressRequest[]): Promise<void> {
  let requests = keys;
  for (let round = 0; requests.length > 0 && round < MAX_ROUNDS; round++) {
    const current = requests;
    requests = await inTransaction(ctx, (tx) => progressOnce(tx, current));
  }
  if (requests.length > 0) wake(ctx, "outbox"); // a long chain, in which each end ends the parent
}

/**
 * Returns those for the next round: runs that wait for events, since their keys must be locked first, parents of
 * ended runs, and runs that start in their slots.
 */
async function progressOnce(tx: Ctx & InTransaction, requests: readonly ProgressRequest[]): Promise<ProgressRequest[]> {
  const keys = requests.flatMap(({ project_id, event_keys = [] }) =>
    event_keys.map((event_key) => ({ project_id, event_key })),
  );
  if (keys.length > 0) await lockEventKeys(tx, keys);
  const loadedRuns = await lockAndLoadRuns(tx, distinct(requests));
  await applyResult(tx, loadedRuns);
  const heldKeys = new Set(keys.map(({ project_id, event_key }) => heldKey(project_id, event_key)));
  await advanceRuns(
    tx,
    loadedRuns.filter(({ run }) => run.planned_end === null),
    heldKeys,
  );
  await compensateRuns(
    tx,
    loadedRuns.filter(({ run }) => run.planned_end !== null),
  );
  const next = await writeRuns(tx, loadedRuns);
  return [...loadedRuns.filter((loaded) => loaded.deferred.size > 0).map(deferredOf), ...next];
}

function distinct(requests: readonly ProgressRequest[]): WorkflowRunKey[] {
  const keys = requests.map(({ project_id, workflow_run_id }) => ({ project_id, workflow_run_id }));
  return [...new Map(keys.map((key) => [key.workflow_run_id, key])).values()];
}

async function applyResult(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  await readChildEnds(tx, loadedRuns);
  const ended = loadedRuns.map((loaded) => ({ loaded, completed: applyResults(loaded) }));
  await loadOutputs(
    tx,
    ended.map(({ loaded, completed }) => ({ loaded, refs: emitReads(loaded, completed) })),
  );
  const emitting = ended.filter(({ loaded, completed }) => emits(loaded, completed));
  await loadPayloads(
    tx,
    emitting.map(({ loaded }) => loaded),
  );
  for (const { loaded, completed } of emitting) noteEmits(loaded, completed);
  await applyItemResults(tx, loadedRuns);
}

/** Returns the parents of ended runs, and the runs that start in their slots. */
async function writeRuns(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<WorkflowRunKey[]> {
  // Pipelined in this order: if a guard of one fails, none of it is committed.
  const [, , next] = await Promise.all([
    writeSteps(tx, loadedRuns),
    writeCompensations(tx, loadedRuns),
    endWorkflowRuns(tx, loadedRuns.flatMap(endOf)),
  ]);
  const changed = loadedRuns.filter((loaded) => loaded.decisions.length > 0 || loaded.end !== null);
  notifyWorkflowRuns(
    tx,
    changed.map(({ run }) => ({ project_id: run.project_id, workflow_run_id: run.id })),
  );
  return next;
}

function deferredOf({ run, deferred }: LoadedRun): ProgressRequest {
  return { project_id: run.project_id, workflow_run_id: run.id, event_keys: [...deferred.values()] };
}

/**
 * Writes the results of compensations, under the locks of their workflow runs: if a guard fails, nothing is written.
 */
export async function writeCompensations(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  const changed = loadedRuns.flatMap(changedOf);
  if (changed.length === 0) return;
  const { rows } = await sql<{ moved: number }>`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(changed)}::json) as g(
        project_id uuid, workflow_run_id uuid, step_ref text, generation int, was text, status text, run_id uuid,
        error jsonb)
      where ${fewRows("g.status")}
    ),
    moved as (
      update step_runs s set compensation_status = g.status, compensation_run_id = g.run_id,
        compensations = s.compensations + (g.was is null)::int,
        compensation_error = g.error, compensated_at = case when g.status = 'completed' then clock() end,
        updated_at = clock()
      from given g
      where s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id and s.step_ref = g.step_ref
        and s.generation = g.generation
        and (s.status = 'completed' or (s.type = 'map' and s.status in ('failed', 'canceled')))
        and s.compensation_status is not distinct from g.was
      returning 1
    )
    select count(*)::int as moved from moved`.execute(tx.db);
  if (rows[0]?.moved !== changed.length) throw new Error("compensations were changed without the lock");
}

function changedOf({ run, steps }: LoadedRun): object[] {
  return [...steps].flatMap(([step_ref, { generation, compensation }]) => {
    if (!compensation || compensation.status === compensation.was) return [];
    return [{ project_id: run.project_id, workflow_run_id: run.id, step_ref, generation, ...compensation }];
  });
}
