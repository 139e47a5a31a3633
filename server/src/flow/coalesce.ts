/** One caller's part of a batch. */
type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };

export type Coalescer<T, R> = {
  add: (item: T) => Promise<R>;
  /** Items that wait for the current batch to end. */
  waiting: () => number;
};

type Coalescing<T, R> = {
  /** One result for each item, in the same order. */
  flush: (items: T[]) => Promise<R[]>;
  max: number;
  /** Concurrent flushes. */
  parallel: number;
  /** The minimum interval between flushes: a busy service makes fewer and larger ones. */
  flushIntervalMs: number;
  /** A longer interval while items arrive at this rate, if none of them is urgent. */
  whenBusy?: { intervalMs: number; perSec: number; isUrgent: (item: T) => boolean };
  /** True: the batch failed because of one of its items, so the items are retried in smaller batches. */
  isCausedByItem: (error: unknown) => boolean;
};

/**
 * Lets concurrent calls share one transaction: while a batch is in flight the next one collects everything that
 * arrives. No fixed delay: an idle service flushes at once. Each caller gets its result after its own commit.
 */
export function coalesce<T, R>({
  flush,
  max,
  parallel,
  flushIntervalMs,
  whenBusy,
  isCausedByItem,
}: Coalescing<T, R>): Coalescer<T, R> {
  const collected: Waiting<T, R>[] = [];
  let inFlight = 0;
  let isScheduled = false;
  let startedAt = Number.NEGATIVE_INFINITY;
  let isBusy = false;
  let hasUrgent = false;
  /** Set while a flush waits for the longer interval. */
  let longTimer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (inFlight >= parallel || collected.length === 0 || (isScheduled && !(longTimer && hasUrgent))) return;
    clearTimeout(longTimer);
    longTimer = undefined;
    isScheduled = true;
    const isLong = whenBusy && isBusy && !hasUrgent;
    const remainingMs = startedAt + (isLong ? whenBusy.intervalMs : flushIntervalMs) - performance.now();
    // Requests that arrived in the same iteration of the event loop share the batch.
    if (remainingMs < 1) setImmediate(start);
    else if (isLong) longTimer = setTimeout(start, remainingMs);
    else setTimeout(start, remainingMs);
  }

  function start(): void {
    const nowMs = performance.now();
    isBusy = whenBusy !== undefined && collected.length * 1_000 >= whenBusy.perSec * (nowMs - startedAt);
    startedAt = nowMs;
    isScheduled = false;
    hasUrgent = false;
    longTimer = undefined;
    const batch = collected.splice(0, max);
    inFlight++;
    void settle(batch).finally(() => {
      inFlight--;
      schedule();
    });
    schedule();
  }

  async function settle(batch: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await flush(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      if (batch.length === 1 || !isCausedByItem(error)) return rejectAll(batch, error);
      // Splits in halves, so that one bad item among hundreds costs a few flushes and fails alone.
      const half = Math.ceil(batch.length / 2);
      await settle(batch.slice(0, half));
      await settle(batch.slice(half));
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        collected.push({ item, resolve, reject });
        if (whenBusy?.isUrgent(item)) hasUrgent = true;
        schedule();
      }),
    waiting: () => collected.length,
  };
}

function rejectAll(batch: { reject: (error: unknown) => void }[], error: unknown): void {
  for (const { reject } of batch) reject(error);
}
