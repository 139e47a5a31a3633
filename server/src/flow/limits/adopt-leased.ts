import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { type JobLimits, limitsOf, QUEUE_LIMITS } from "./job-limits.ts";

type LeasedRow = { run_id: string; job_id: string; concurrency_key: string | null; slots: string[] | null };
type Adopted = { run_id: string; slots: string[] };

/**
 * Gives the leased runs of jobs the slots of their concurrency limits that they lack: a limit that is set while runs are
 * active counts them too. Waits for their queue rows, then for the counters, in the lock order. Settling compares the
 * slots of a row with those its holder knows, so the end of an adopted run releases them. A claim that had begun before
 * the limit was committed is not seen; the reconciliation adopts its runs.
 */
export async function adoptLeased(tx: Ctx & InTransaction, project_id: string, job_ids: string[]): Promise<void> {
  const jobs = await readLimits(tx, project_id, job_ids);
  if (jobs.size === 0) return;
  const { rows } = await sql<LeasedRow>`
    select run_id, job_id, concurrency_key, slots from run_queue
    where project_id = ${project_id} and job_id = any(${[...jobs.keys()]}::uuid[]) and lease_until is not null
    order by run_id for update`.execute(tx.db);
  const adopted = rows.flatMap(({ run_id, job_id, concurrency_key, slots }): Adopted[] => {
    const limits = jobs.get(job_id);
    if (!limits) return [];
    const needed = limitsOf({ concurrency_key, payload: null }, limits).slots.map(({ key }) => key);
    const missing = needed.filter((key) => !slots?.includes(key));
    return missing.length === 0 ? [] : [{ run_id, slots: missing }];
  });
  if (adopted.length > 0) await writeSlots(tx, project_id, adopted);
}

/** Concurrency limits only: a rate limit did not count the earlier starts, and they leave its window soon anyway. */
async function readLimits(tx: Ctx, project_id: string, job_ids: string[]): Promise<Map<string, JobLimits>> {
  const { rows } = await sql<JobLimits>`
    select j.id as job_id, j.max_concurrency, j.max_concurrency_per_key, null as rate_limit_max, null as rate_limit_window_secs,
      '[]'::jsonb as rate_limit_keys, ${QUEUE_LIMITS}
    from jobs j left join queues k on k.project_id = j.project_id and k.name = j.queue
    where j.project_id = ${project_id} and j.id = any(${job_ids}::uuid[])
      and coalesce(j.max_concurrency, j.max_concurrency_per_key, k.max_concurrency) is not null`.execute(tx.db);
  return new Map(rows.map((row) => [row.job_id, row]));
}

async function writeSlots(tx: Ctx & InTransaction, project_id: string, adopted: readonly Adopted[]): Promise<void> {
  const keys = adopted.flatMap(({ slots }) => slots);
  await sql`
    insert into concurrency_counters as c (project_id, key, active)
    select ${project_id}, k, count(*) from unnest(${keys}::text[]) as k group by k order by k
    on conflict (project_id, key) do update set active = c.active + excluded.active`.execute(tx.db);
  await sql`
    update run_queue q set slots = coalesce(q.slots, '{}') || a.slots
    from jsonb_to_recordset(${JSON.stringify(adopted)}::jsonb) as a(run_id uuid, slots text[])
    where q.project_id = ${project_id} and q.run_id = a.run_id`.execute(tx.db);
}
