import { sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import { candidateOf, type JobLimits } from "./job-limits.ts";
import type { Lane } from "./lanes.ts";
import type { LockedRun } from "./lock-runs.ts";
import { unparkNext } from "./unpark-next.ts";

type Leaving = Pick<LockedRun, "project_id" | "id" | "queued">;
type Leaver = JobLimits & { run_id: string; concurrency_key: string | null; payload: unknown };

/**
 * A run that leaves the line before it was claimed may have been unparked for a free place, which nobody would take
 * then: the next of each of its limits is let in. One too many only asks, and is parked again. Wake the lanes after
 * the commit.
 */
export async function passTurnOn(tx: Ctx & InTransaction, runs: readonly Leaving[]): Promise<Lane[]> {
  const inLine = runs.filter(isInLine);
  const [first] = inLine;
  if (!first) return [];
  const { project_id } = first;
  const { rows } = await sql<Leaver>`
    select r.id as run_id, r.concurrency_key, r.job_id, false as is_paused, j.max_concurrency,
      j.max_concurrency_per_key, j.rate_limit_max, j.rate_limit_window_secs, j.rate_limit_keys,
      case when j.rate_limit_keys <> '[]' then r.payload end as payload
    from runs r join jobs j on j.project_id = r.project_id and j.id = r.job_id and j.is_limited
    where r.project_id = ${project_id} and r.id = any(${inLine.map((run) => run.id)}::uuid[])`.execute(tx.db);
  const counts = new Map<string, number>();
  for (const { key } of rows.flatMap((row) => limitsOf(row))) counts.set(key, (counts.get(key) ?? 0) + 1);
  return unparkNext(tx, project_id, counts);
}

/** In the queue, neither parked nor claimed. */
export function isInLine({ queued }: Leaving): boolean {
  return queued !== null && queued.parked_on === null && !queued.is_leased;
}

function limitsOf(row: Leaver): { key: string }[] {
  const { slots, rates } = candidateOf(row, row);
  return [...slots, ...rates];
}
