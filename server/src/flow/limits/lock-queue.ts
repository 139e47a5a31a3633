import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { lockKeys } from "../lock-keys.ts";
import { adoptLeased } from "./adopt-leased.ts";
import { unblockQueue } from "./block-job.ts";

/**
 * Taken before the rows of jobs, both to put a job into a queue and to change the queue: no job misses a change of its
 * queue, and no queue with jobs is deleted.
 */
export function lockQueue(tx: Ctx & InTransaction, project_id: string, ...queues: string[]): Promise<void> {
  return lockKeys(
    tx,
    queues.map((queue) => `queue:${project_id}:${queue}`),
  );
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

/**
 * Before a queue is deleted, under the locks of both: the runs of its deleted jobs continue in another queue. True: more
 * of them are blocked by the old one, call `unblockMoreOfQueue` after the commit.
 */
export async function moveDeletedJobs(
  tx: Ctx & InTransaction,
  project_id: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    with mine as materialized (
      select id from jobs
      where project_id = ${project_id} and queue = ${from} and deleted_at is not null order by id for no key update
    )
    update jobs j set queue = k.name, revision = j.revision + 1,
      queue_needs_check = k.max_concurrency is not null or k.rate_limit_max is not null or k.paused_at is not null
    from mine m, queues k
    where j.project_id = ${project_id} and j.id = m.id and k.project_id = j.project_id and k.name = ${to}
    returning j.id`.execute(tx.db);
  if (rows.length === 0) return false;
  const job_ids = rows.map((row) => row.id);
  await adoptLeased(tx, project_id, job_ids);
  return unblockQueue(tx, { project_id, queue: from });
}
