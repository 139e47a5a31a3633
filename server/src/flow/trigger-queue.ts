import { isDataError } from "../platform/database/database-errors.ts";
import { overloaded } from "../platform/errors/errors.ts";
import { coalesce } from "./coalesce.ts";

/** Triggers of one instance that wait for a commit, which those that arrive together share. */
export type TriggerQueue<T, R> = {
  add: (item: T) => Promise<R>;
  /** Another trigger would wait for long, and is refused. Without a project: whoever sends it. */
  isFullFor: (project_id: string | undefined) => boolean;
};

type Queueing<T, R> = {
  /** Creates the runs in one transaction, with one result for each, in the same order. */
  create: (items: T[]) => Promise<R[]>;
  max_batch: number;
  max_waiting: number;
};

const FLUSH_INTERVAL_MS = 6;
/** An idle service takes a burst of any size up to `max_waiting`, since nothing shows yet that it would wait. */
const LONG_MS = 500;
/** Smaller batches say little of what a large one would take, and this many are no queue. */
const MIN_COUNT = 100;
const KNOWN_FOR_MS = 10_000;

/**
 * Two bounds. Nobody waits behind `max_waiting` others. And once those that wait, at the pace of the last commits, would
 * take half a second, a project that has its share of that wait already is refused: a flood of one does not refuse the
 * triggers of the others.
 */
export function openTriggerQueue<T extends { project_id: string }, R>({
  create,
  max_batch,
  max_waiting,
}: Queueing<T, R>): TriggerQueue<T, R> {
  const counts = new Map<string, number>();
  let total = 0;
  let inFlight = { count: 0, startedAt: 0 };
  let known = { msEach: 0, at: Number.NEGATIVE_INFINITY };

  const coalescer = coalesce<T, R>({
    flush,
    max: max_batch,
    parallel: 1,
    flushIntervalMs: FLUSH_INTERVAL_MS,
    isCausedByItem: isDataError,
  });

  async function flush(items: T[]): Promise<R[]> {
    inFlight = { count: items.length, startedAt: performance.now() };
    try {
      return await create(items);
    } finally {
      known = paceOf(inFlight, performance.now()) ?? known;
      inFlight.count = 0;
    }
  }

  function waitMs(): number {
    const now = performance.now();
    const before = now - known.at < KNOWN_FOR_MS ? known.msEach : 0;
    return total * Math.max(before, paceOf(inFlight, now)?.msEach ?? 0);
  }

  function count(project_id: string, change: 1 | -1): void {
    const now = (counts.get(project_id) ?? 0) + change;
    if (now === 0) counts.delete(project_id);
    else counts.set(project_id, now);
    total += change;
  }

  return {
    // Those that arrived together were all asked before the first of them was added.
    add: async (item) => {
      if (coalescer.waiting() >= max_waiting) throw overloaded();
      count(item.project_id, 1);
      try {
        return await coalescer.add(item);
      } finally {
        count(item.project_id, -1);
      }
    },
    isFullFor: (project_id) => {
      if (coalescer.waiting() >= max_waiting) return true;
      if (project_id === undefined || total < MIN_COUNT || waitMs() < LONG_MS) return false;
      return (counts.get(project_id) ?? 0) >= total / (counts.size + 1);
    },
  };
}

/** What one of a batch takes, if it is large enough to tell. */
function paceOf({ count, startedAt }: { count: number; startedAt: number }, now: number) {
  return count * 2 < MIN_COUNT ? undefined : { msEach: (now - startedAt) / count, at: now };
}
