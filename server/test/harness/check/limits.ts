import { groupBy } from "../../../src/platform/group-by.ts";
import { maxWithin, peak } from "../../oracles/sweep-line.ts";
import type { History, Job, Run } from "../history.ts";
import { claimsOf, type LogOf, logsOf, spansOf } from "./read-log.ts";

/** I12 */
export function limitsHold(history: History): string[] {
  const logOf = logsOf(history);
  const runsOf = groupBy(history.runs, ({ job_id }) => job_id);
  return history.jobs.flatMap((job) => {
    const runs = runsOf.get(job.id) ?? [];
    const keyed = groupBy(
      runs.filter((run) => run.concurrency_key !== null),
      (run) => run.concurrency_key ?? "",
    );
    return [
      ...tooMany(`job ${job.id}`, runs, job.max_concurrency, logOf),
      ...[...keyed].flatMap(([key, some]) =>
        tooMany(`key ${key} of job ${job.id}`, some, job.max_concurrency_per_key, logOf),
      ),
      ...tooOften(job, runs, logOf),
    ];
  });
}

function tooMany(what: string, runs: readonly Run[], max: number | null, logOf: LogOf): string[] {
  if (max === null) return [];
  const running = peak(runs.flatMap((run) => spansOf(logOf(run.id))));
  return running > max ? [`${running} runs of ${what} ran at once; the limit is ${max}`] : [];
}

function tooOften({ id, rate_limit_max, rate_limit_window_secs }: Job, runs: readonly Run[], logOf: LogOf): string[] {
  if (rate_limit_max === null || rate_limit_window_secs === null) return [];
  const starts = runs.flatMap((run) => claimsOf(logOf(run.id)).map(({ at }) => at));
  const started = maxWithin(starts, rate_limit_window_secs * 1_000);
  return started > rate_limit_max
    ? [`${started} runs of job ${id} started within ${rate_limit_window_secs} s; the limit is ${rate_limit_max}`]
    : [];
}
