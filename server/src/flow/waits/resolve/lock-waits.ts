import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import type { LockedRun } from "../../runs/lock-runs.ts";

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
