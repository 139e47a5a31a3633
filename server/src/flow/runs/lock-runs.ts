import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { Granted } from "../limits/unblock-next.ts";
import type { Lane } from "./claim/lanes.ts";
import type { RunStatus } from "./states.ts";

export type RunKey = { project_id: string; run_id: string };

export type LockedRun = {
  id: string;
  project_id: string;
  job_id: string;
  status: RunStatus;
  attempt: number;
  priority: number;
  scheduled_at: string;
  pause_requested: boolean;
  /** Its queue row, locked too. Null: it is not in the queue. */
  queued: QueuedRun | null;
};

export type QueuedRun = Lane & Granted & { run_id: string; blocked_on: string | null; is_leased: boolean };

export type LockedRuns = {
  runs: LockedRun[];
  /**
   * One of them was queued after the queue rows were locked. Locking its row now would violate the lock order: end the
   * transaction and begin again.
   */
  isOutdated: boolean;
};

/** Locks runs in the global lock order: first their queue rows, then the runs, by id. */
export async function lockRuns(tx: Ctx & InTransaction, project_id: string, run_ids: string[]): Promise<LockedRuns> {
  const { rows: queued } = await sql<QueuedRun>`
    select project_id, run_id, job_id, concurrency_key, host, rank_at, blocked_on, granted_by, kept, limits,
      lease_until is not null as is_leased
    from run_queue
    where project_id = ${project_id} and run_id = any(${run_ids}::uuid[])
    order by run_id for update`.execute(tx.db);
  const { rows } = await sql<Omit<LockedRun, "queued">>`
    select id, project_id, job_id, status, attempt, priority, scheduled_at, pause_requested from runs
    where project_id = ${project_id} and id = any(${run_ids}::uuid[])
    order by id for no key update`.execute(tx.db);
  const byRun = new Map(queued.map((row) => [row.run_id, row]));
  const runs = rows.map((row) => ({ ...row, queued: byRun.get(row.id) ?? null }));
  return { runs, isOutdated: runs.some((run) => run.queued === null && belongsInQueue(run)) };
}

function belongsInQueue({ status }: { status: RunStatus }): boolean {
  return status === "pending" || status === "running";
}
