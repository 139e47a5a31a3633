import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { lockKeys } from "../lock-keys.ts";

/**
 * Taken before the rows of jobs, both to put a job into a queue and to change the queue: no job misses a change of its
 * queue, and no queue with jobs is deleted.
 */
export function lockQueue(tx: Ctx & InTransaction, project_id: string, queue: string): Promise<void> {
  return lockKeys(tx, [`queue:${project_id}:${queue}`]);
}

/**
 * After a change of the queue, under its lock: every job of it changes too, so that cached jobs are read again, and
 * transactions that block runs see the edit. Returns their ids.
 */
export async function touchJobs(tx: Ctx & InTransaction, project_id: string, queue: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with mine as materialized (
      select id from jobs where project_id = ${project_id} and queue = ${queue} order by id for no key update
    ),
    wanted as materialized (
      select max_concurrency is not null or rate_limit_max is not null or paused_at is not null as needs_check
      from queues where project_id = ${project_id} and name = ${queue}
    )
    update jobs j set queue_needs_check = w.needs_check, revision = j.revision + 1
    from mine m, wanted w
    where j.project_id = ${project_id} and j.id = m.id
    returning j.id`.execute(tx.db);
  return rows.map((row) => row.id);
}
