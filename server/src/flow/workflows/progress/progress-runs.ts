import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { lockEventKeys } from "../../waits/event-keys.ts";
import { planCompensation } from "../compensate/compensate-plan.ts";
import { compensateRuns, writeCompensations } from "../compensate/compensate-runs.ts";
import { applyItemResults } from "../map/apply-item-results.ts";
import { notifyWorkflowRuns, type WorkflowRunKey } from "../workflow-run-changes.ts";
import { advanceRuns } from "./advance-runs.ts";
import { applyResults } from "./apply-results.ts";
import { endWorkflowRuns } from "./end-workflow-runs.ts";
import { lockAndLoadRuns } from "./load-runs.ts";
import type { LoadedRun, WorkflowRunEnd } from "./loaded-run.ts";
import { heldKey } from "./start-steps.ts";
import { writeSteps } from "./write-steps.ts";

/** `event_keys`: keys of waits to be opened, as the round before saw them. */
type ProgressRequest = WorkflowRunKey & { event_keys?: string[] };

/**
 * Rounds of one call. What is left then is a wait whose key changes in each, or a long chain in which each end also ends
 * the parent: its outbox entry continues it.
 */
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
  if (requests.length > 0) wake(ctx, "outbox");
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
  await applyResults(tx, loadedRuns);
  await applyItemResults(tx, loadedRuns);
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

/** The end of a run that the planner has completed or failed. */
export function endOf(loaded: LoadedRun): WorkflowRunEnd[] {
  const { run, end } = loaded;
  if (run.planned_end) return compensatedEnd(loaded);
  if (end === null) return [];
  const { error_count } = end;
  if (end.kind === "complete") {
    const reason = error_count === 0 ? "every step is done" : `every step is done, ${error_count} of them failed`;
    return [{ run, status: "completed", error: null, error_count, cause: null, cause_ref: null, reason }];
  }
  const { error, step_ref } = end;
  const cause = "step_failed";
  return [{ run, status: "failed", error, error_count, cause, cause_ref: step_ref, reason: error.message }];
}

/** A compensating run gets the end decided before, once all compensations have ended. */
function compensatedEnd({ run, version, steps }: LoadedRun): WorkflowRunEnd[] {
  if (run.planned_end === null || planCompensation(version.definition, steps).kind !== "done") return [];
  let error_count = 0;
  for (const { status, compensation } of steps.values()) {
    error_count += Number(status === "failed") + Number(compensation?.status === "failed");
  }
  return [{ run, error_count, ...run.planned_end }];
}
