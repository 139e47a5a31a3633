import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type JobLimits, limitsOf } from "./job-limits.ts";

type JobKey = { project_id: string; job_id: string };
type Adopted = { run_id: string; slots: string[] };

/**
 * Gives the leased runs of a job the slots of its concurrency limits that they lack: a limit that is set while runs are
 * active counts them too. Waits for their queue rows, then for the counters, in the lock order. Settling compares the
 * slots of a row with those its holder knows, so the end of an adopted run releases them. A claim that had begun before
 * the limit was committed is not seen; the reconciliation adopts its runs.
 */
export async function adoptLeased(tx: Ctx & InTransaction, { project_id, job_id }: JobKey): Promise<void> {
  const limits = await readLimits(tx, { project_id, job_id });
  if (!limits) return;
  const { rows } = await sql<{ run_id: string; concurrency_key: string | null; slots: string[] | null }>`
    select run_id, concurrency_key, slots from run_queue
    where project_id = ${project_id} and job_id = ${job_id} and lease_until is not null
    order by run_id for update`.execute(tx.db);
  const adopted = rows.flatMap(({ run_id, concurrency_key, slots }): Adopted[] => {
    const needed = limitsOf({ concurrency_key, payload: null }, limits).slots.map(({ key }) => key);
    const missing = needed.filter((key) => !slots?.includes(key));
    return missing.length === 0 ? [] : [{ run_id, slots: missing }];
  });
  if (adopted.length > 0) await writeSlots(tx, project_id, adopted);
}

/** Concurrency limits only: a rate limit did not count the earlier starts, and they leave its window soon anyway. */
async function readLimits(tx: Ctx, { project_id, job_id }: JobKey): Promise<JobLimits | undefined> {
  const { rows } = await sql<Pick<JobLimits, "max_concurrency" | "max_concurrency_per_key">>`
    select max_concurrency, max_concurrency_per_key from jobs
    where project_id = ${project_id} and id = ${job_id}
      and (max_concurrency is not null or max_concurrency_per_key is not null)`.execute(tx.db);
  const rates = { rate_limit_max: null, rate_limit_window_secs: null, rate_limit_keys: [] };
  return rows[0] && { job_id, is_paused: false, ...rows[0], ...rates };
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
