import type { Actor } from "../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { LockedRun } from "../runs/lock-runs.ts";
import { canceledError, type EndedByError } from "../runs/stop/canceled-error.ts";
import { endTriggers } from "./end-triggers.ts";
import { notifyTriggers, updateTriggerCounts } from "./trigger-changes.ts";

/** A waiting run, and its trigger. */
export type LockedWait = { trigger_id: string; run_id: string };

/**
 * Locks the triggers of these waiting runs, by id; must come before their queue rows and the runs. They are found
 * without a lock: once the runs are locked, check `hasOtherWaits`.
 */
export async function lockWaits(
  tx: Ctx & InTransaction,
  project_id: string,
  run_ids: readonly string[],
): Promise<LockedWait[]> {
  const seen = await findWaits(tx, project_id, run_ids);
  if (seen.length === 0) return [];
  const { rows } = await sql<LockedWait>`
    select id as trigger_id, job_run_id as run_id from event_triggers
    where project_id = ${project_id} and id = any(${seen.map((wait) => wait.trigger_id)}::uuid[])
      and status = 'waiting'
    order by id for update`.execute(tx.db);
  return rows;
}

/** One of the locked runs has begun to wait since: end the transaction and begin again. */
export async function hasOtherWaits(
  tx: Ctx & InTransaction,
  project_id: string,
  runs: readonly LockedRun[],
  known: readonly LockedWait[],
): Promise<boolean> {
  const waiting = runs.filter((run) => run.status === "waiting").map((run) => run.id);
  if (waiting.length === 0) return false;
  const now = await findWaits(tx, project_id, waiting);
  return now.some(({ trigger_id }) => !known.some((wait) => wait.trigger_id === trigger_id));
}

async function findWaits(tx: Ctx, project_id: string, run_ids: readonly string[]): Promise<LockedWait[]> {
  const { rows } = await sql<LockedWait>`
    select t.id as trigger_id, r.id as run_id from runs r
    join event_triggers t on t.project_id = r.project_id and t.job_run_id = r.id and t.ordinal = r.waits
    where r.project_id = ${project_id} and r.id = any(${[...run_ids]}::uuid[]) and r.status = 'waiting'
      and t.job_run_id is not null and t.status = 'waiting'`.execute(tx.db);
  return rows;
}

type Reason = { cause: string; reason: string | null; by: Actor };

/** Ends the waits of canceled runs, in their transaction. They are locked already. */
export async function cancelWaits(
  tx: Ctx & InTransaction,
  project_id: string,
  waits: readonly LockedWait[],
  reason: Reason,
): Promise<void> {
  const trigger_ids = waits.map(({ trigger_id }) => trigger_id);
  const code = reason.cause === "event_canceled" ? reason.cause : "run_canceled";
  await cancelTriggers(tx, project_id, trigger_ids, canceledError(code, reason));
}

const STEP_ENDED = { code: "step_ended", message: "The step that waited was canceled, skipped or reset." };

/**
 * Ends the waits of steps that no longer wait: called in the transaction that changes the steps, under the locks of
 * their workflow runs.
 */
export function cancelStepTriggers(
  tx: Ctx & InTransaction,
  project_id: string,
  trigger_ids: readonly string[],
): Promise<void> {
  return cancelTriggers(tx, project_id, trigger_ids, STEP_ENDED);
}

async function cancelTriggers(
  tx: Ctx & InTransaction,
  project_id: string,
  trigger_ids: readonly string[],
  error: EndedByError,
): Promise<void> {
  const triggers = await endTriggers(
    tx,
    trigger_ids.map((trigger_id) => ({ project_id, trigger_id })),
    { status: "canceled", error },
  );
  await updateTriggerCounts(
    tx,
    triggers.map(({ wait_kind }) => ({ project_id, wait_kind, from: "waiting", to: "canceled" })),
  );
  notifyTriggers(
    tx,
    triggers.map(({ id }) => ({ project_id, trigger_id: id })),
  );
}
