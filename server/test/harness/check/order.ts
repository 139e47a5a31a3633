import { groupBy } from "../../../src/platform/group-by.ts";
import type { History, Job, Run, Transition } from "../history.ts";
import { type LogOf, logsOf, spansOf } from "./read-log.ts";
import { stopsOf } from "./stops.ts";

type Queued = { run: Run; created: Transition; claim: Transition; rank: number };

/** After this wait every claim sees a run: of two that arrived at the same time, either may be first. */
const WAITED_MS = 500;
/**
 * Runs of two keys are compared only if the overtaken one could have started for this long: a grant is not a claim.
 */
const HAD_ROOM_MS = 500;
/** An instance that is killed or stopped may be claiming a run: others pass it by until its transaction has ended. */
const LOCKED_MS = 1_000;
/** Runs with keys alternate, one millisecond per position: their rank differs slightly from their time. */
const ALTERNATION_MS = 1_000;

/** S2, for runs that were claimed once. A retry, pause or drain sets a new due time, and with it a new rank. */
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
    const wasTaken = slotsTaken(job, runs, logOf);
    return queued.flatMap((first, nth) =>
      queued
        .slice(nth + 1)
        .filter(
          (other) =>
            isOvertaken(first, other, job) &&
            !history.faults.some(({ at }) => at > other.created.at && at < other.claim.at + LOCKED_MS) &&
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

/** Both waited for the same limit; the later one had the better rank and had waited long enough to be seen. */
function isOvertaken(first: Queued, other: Queued, job: Job): boolean {
  const begin = Math.max(other.created.committed_at, other.run.scheduled_at);
  if (first.claim.committed_at >= other.claim.committed_at || !hadWaited(first, begin)) return false;
  // Of two runs created together neither is first, whatever their milliseconds.
  if (first.run.priority === other.run.priority && other.created.committed_at >= first.created.at) return false;
  const [a, b] = [first.run.concurrency_key, other.run.concurrency_key];
  const slackMs = a !== null && first.run.priority !== other.run.priority ? ALTERNATION_MS : 0;
  if (a === b) return other.rank < first.rank - slackMs;
  const isShared = (job.max_concurrency ?? job.rate_limit_max) !== null;
  return isShared && other.rank < first.rank - ALTERNATION_MS && first.run.priority < other.run.priority;
}

function hadWaited(first: Queued, since: number): boolean {
  return since <= first.claim.at - WAITED_MS;
}

/** Whether a run's key would have allowed it to start when another run of the job did. */
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
 * Whether a run took a slot that another run then waited for. A slot is granted to the first queued run and claimed a
 * moment later: while every limit of the job, and of the key, has a free slot, a run claimed in that moment has its own.
 */
function slotsTaken(job: Job, runs: readonly Run[], logOf: LogOf): (waiting: Queued, started: Queued) => boolean {
  const spans = runs.flatMap((run) => spansOf(logOf(run.id)).map((span) => ({ ...span, key: run.concurrency_key })));
  const spansOfKey = groupBy(spans, ({ key }) => key ?? "");
  const maxRunning = job.max_concurrency ?? Number.POSITIVE_INFINITY;
  const maxOfKey = job.max_concurrency_per_key ?? Number.POSITIVE_INFINITY;
  const maxStarts = job.rate_limit_max ?? Number.POSITIVE_INFINITY;
  const windowMs = (job.rate_limit_window_secs ?? 0) * 1_000;
  const runningAt = (some: typeof spans, at: number) => some.filter((span) => span.from <= at && span.to > at).length;
  return (waiting, started) => {
    const { concurrency_key: key } = waiting.run;
    const ofKey = key === null ? [] : (spansOfKey.get(key) ?? []);
    const isFull = (at: number) =>
      runningAt(spans, at) >= maxRunning ||
      runningAt(ofKey, at) >= maxOfKey ||
      spans.filter((span) => span.from <= at && span.from > at - windowMs).length >= maxStarts;
    const [from, to] = [started.claim.committed_at, waiting.claim.at];
    return [from, ...spans.map((span) => span.from).filter((at) => at > from && at < to)].some(isFull);
  };
}

function describe(first: Queued, other: Queued): string {
  const waitedMs = Math.round(first.claim.at - other.created.at);
  return `${first.run.id} (priority ${first.run.priority}) started before ${other.run.id} (priority ${other.run.priority}), which had waited ${waitedMs} ms`;
}
