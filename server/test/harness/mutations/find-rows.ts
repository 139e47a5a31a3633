import type { History } from "../history.ts";

export function find<T>(rows: readonly T[], isIt: (row: T) => boolean): T {
  const row = rows.find(isIt);
  if (!row) throw new Error("the good history has no such row");
  return row;
}

export function isTrigger({ path, idempotency_key }: History["calls"][number]): boolean {
  return path.endsWith("/trigger") && path.startsWith("/v1/jobs/") && idempotency_key === null;
}

/** A run that succeeded at once and belongs to nothing else. */
export function plainRun(history: History): History["runs"][number] {
  const limited = history.jobs.filter(
    (job) => job.max_concurrency ?? job.max_concurrency_per_key ?? job.rate_limit_max,
  );
  return find(
    history.runs,
    (run) =>
      run.status === "completed" &&
      run.attempt === 1 &&
      run.workflow_run_id === null &&
      run.idempotency_key === null &&
      !limited.some(({ id }) => id === run.job_id),
  );
}

export function lastOf({ transitions }: History, run_id: string): History["transitions"][number] {
  return find(
    transitions.filter((each) => each.run_id === run_id).toSorted((a, b) => b.ordinal - a.ordinal),
    () => true,
  );
}

export function jobOf({ runs }: History, run_id: string): string | undefined {
  return runs.find(({ id }) => id === run_id)?.job_id;
}
