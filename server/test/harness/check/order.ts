import { groupBy } from "../../../src/platform/group-by.ts";
import type { History, Job, Run, Transition } from "../history.ts";
import { type LogOf, logsOf, spansOf } from "./read-log.ts";
import { stopsOf } from "./stops.ts";

type Queued = { run: Run; created: Transition; claim: Transition; rank: number };

/** Who has waited this long is seen by every claim: of two that came at once, either may be the first. */
const WAITED_MS = 500;
/** Of two keys only where the one that was overtaken could have gone for this long: a slot handed on is not yet a claim. */
const HAD_ROOM_MS = 500;
/** Runs with keys take turns, a millisecond a place: their rank is not quite their time. */
const TURNS_MS = 1_000;

/** S2: of runs that were claimed once. A retry, a pause or a drain sets anew when a run is due, and with it its rank. */
export function orderHolds(history: History): string[] {
  const logOf = logsOf(history);
  const stops = stopsOf(history);
  const limited = history.jobs.filter(
    (job) => job.max_concurrency ?? job.max_concurrency_per_key ?? job.rate_limit_max,
  );
  const runsOf = groupBy(history.runs, ({ job_id }) => job_id);
  return limited.flatMap((job) => {
    const runs = runsOf.get(job.id) ?? [];
    const queued = runs
      .flatMap((run) => queuedOf(run, logOf(run.id)))
      .toSorted((a, b) => a.claim.committed_at - b.claim.committed_at);
    const hasRoom = roomOfKeys(job, runs, logOf);
    const wasTaken = placesTaken(job, runs, logOf);
    return queued.flatMap((first, nth) =>
      queued
        .slice(nth + 1)
        .filter(
          (other) =>
            isOvertaken(first, other, job) &&
            hasRoom(other, first) &&
            wasTaken(other, first) &&
            hadWaited(first, stops.overAt(other.run.id, first.claim.at)),
        )
        .map((other) => describe(first, other)),
    );
  });
}

function queuedOf(run: Run, [created, claim]: Transition[]): Queued[] {
  if (created?.cause !== "created" || claim?.cause !== "claimed" || run.attempt !== 1) return [];
  return [{ run, created, claim, rank: Math.max(run.scheduled_at, created.at) - run.priority * 60_000 }];
}

/** Both waited for the same limit, the one that went later had the better place, and had waited long enough to be seen. */
function isOvertaken(first: Queued, other: Queued, job: Job): boolean {
  const begin = Math.max(other.created.committed_at, other.run.scheduled_at);
  if (first.claim.committed_at >= other.claim.committed_at || !hadWaited(first, begin)) return false;
  // Of two that were created at once neither was the first, whatever the milliseconds say.
  if (first.run.priority === other.run.priority && other.created.committed_at >= first.created.at) return false;
  const [a, b] = [first.run.concurrency_key, other.run.concurrency_key];
  const turnsMs = a !== null && first.run.priority !== other.run.priority ? TURNS_MS : 0;
  if (a === b) return other.rank < first.rank - turnsMs;
  const isShared = (job.max_concurrency ?? job.rate_limit_max) !== null;
  return isShared && other.rank < first.rank - TURNS_MS && first.run.priority < other.run.priority;
}

function hadWaited(first: Queued, since: number): boolean {
  return since <= first.claim.at - WAITED_MS;
}

/** Whether the key of a run would have let it start when another one of the job did. */
function roomOfKeys(job: Job, runs: readonly Run[], logOf: LogOf): (waiting: Queued, started: Queued) => boolean {
  const max = job.max_concurrency_per_key;
  if (max === null) return () => true;
  const spans = new Map(
    [...groupBy(runs, (run) => run.concurrency_key ?? "")].map(([key, some]) => [
      key,
      some.flatMap((run) => spansOf(logOf(run.id))),
    ]),
  );
  return (waiting, started) => {
    const key = waiting.run.concurrency_key;
    if (key === null || key === started.run.concurrency_key) return true;
    const [from, to] = [started.claim.at - HAD_ROOM_MS, started.claim.committed_at];
    return (spans.get(key) ?? []).filter((span) => span.from <= to && span.to >= from).length < max;
  };
}

/**
 * Whether a run took a place that another one then waited for. A place is granted to the first in line and claimed a
 * moment later: while every limit of the job has a free one, a run that is claimed in that moment has its own.
 */
function placesTaken(job: Job, runs: readonly Run[], logOf: LogOf): (waiting: Queued, started: Queued) => boolean {
  const spans = runs.flatMap((run) => spansOf(logOf(run.id)));
  const most = job.max_concurrency ?? Number.POSITIVE_INFINITY;
  const mostStarts = job.rate_limit_max ?? Number.POSITIVE_INFINITY;
  const windowMs = (job.rate_limit_window_secs ?? 0) * 1_000;
  const isFull = (at: number) =>
    spans.filter((span) => span.from <= at && span.to > at).length >= most ||
    spans.filter((span) => span.from <= at && span.from > at - windowMs).length >= mostStarts;
  return (waiting, started) => {
    // Within a key one slot decides.
    if (waiting.run.concurrency_key === started.run.concurrency_key && job.max_concurrency_per_key !== null)
      return true;
    const [from, to] = [started.claim.committed_at, waiting.claim.at];
    return [from, ...spans.map((span) => span.from).filter((at) => at > from && at < to)].some(isFull);
  };
}

function describe(first: Queued, other: Queued): string {
  const waitedMs = Math.round(first.claim.at - other.created.at);
  return `${first.run.id} (priority ${first.run.priority}) started before ${other.run.id} (priority ${other.run.priority}), which had waited ${waitedMs} ms`;
}
