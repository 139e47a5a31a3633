import { sql } from "kysely";
import type { Positions } from "../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { bookUsage } from "./book-usage.ts";
import { keepJobCosts } from "./keep-job-costs.ts";
import { pricedRange, type RunSum, selectRunSums } from "./run-sums.ts";

/** Runs that were deleted are booked, but no longer have a job. */
type BookedSum = Omit<RunSum, "job_id"> & { job_id: string | null };

/**
 * Reads the changes of runs in a range once. Books the usage of each month and what the last runs of each job cost;
 * only the pass that holds the cursor writes both. Returns the sums of the changes, and the projects in which runs or
 * dispatches ended.
 */
export async function bookRuns(
  tx: Ctx & InTransaction,
  range: Positions,
): Promise<{ sums: RunSum[]; projects: string[] }> {
  const { rows } = await sql<BookedSum>`
    /* prepared */
    with ${pricedRange(range)}, ${bookUsage()}, ${keepJobCosts()}
    ${selectRunSums()}`.execute(tx.db);
  const ended = rows.filter(({ from_status }) => from_status !== null);
  return { sums: rows.filter(hasJob), projects: [...new Set(ended.map(({ project_id }) => project_id))] };
}

function hasJob(sum: BookedSum): sum is RunSum {
  return sum.job_id !== null;
}
