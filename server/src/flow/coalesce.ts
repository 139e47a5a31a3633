/** A caller's share of a batch. */
type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };

export type Coalescer<T, R> = {
  add: (item: T) => Promise<R>;
  /** Items that wait for the batch under way to end. */
  waiting: () => number;
};

type Coalescing<T, R> = {
  /** One result for each item, in their order. */
  flush: (items: T[]) => Promise<R[]>;
  most: number;
  /** Flushes under way at the same time. */
  parallel: number;
  /** The least time from one flush to the next: a busy service makes fewer and larger ones. */
  restMs: number;
  /** True: the batch failed because of one of its items, so each is tried alone. */
  isItemsIssue: (error: unknown) => boolean;
};

/**
 * Lets concurrent calls share one transaction: while a batch is under way the next one gathers, and takes all that
 * came meanwhile. No fixed delay: a service that has rested flushes at once. Each caller is answered after its own
 * commit.
 */
export function coalesce<T, R>({ flush, most, parallel, restMs, isItemsIssue }: Coalescing<T, R>): Coalescer<T, R> {
  const gathered: Waiting<T, R>[] = [];
  let underWay = 0;
  let isScheduled = false;
  let startedAt = Number.NEGATIVE_INFINITY;

  function schedule(): void {
    if (isScheduled || underWay >= parallel || gathered.length === 0) return;
    isScheduled = true;
    const leftMs = startedAt + restMs - performance.now();
    // Requests that arrived in the same turn of the event loop share the batch.
    if (leftMs < 1) setImmediate(start);
    else setTimeout(start, leftMs);
  }

  function start(): void {
    isScheduled = false;
    startedAt = performance.now();
    const batch = gathered.splice(0, most);
    underWay++;
    void settle(batch).finally(() => {
      underWay--;
      schedule();
    });
    schedule();
  }

  async function settle(batch: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await flush(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      if (batch.length === 1 || !isItemsIssue(error)) return rejectAll(batch, error);
      // In halves, so that one bad item among hundreds costs a few flushes and fails alone.
      const half = Math.ceil(batch.length / 2);
      await settle(batch.slice(0, half));
      await settle(batch.slice(half));
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        gathered.push({ item, resolve, reject });
        schedule();
      }),
    waiting: () => gathered.length,
  };
}

function rejectAll(batch: { reject: (error: unknown) => void }[], error: unknown): void {
  for (const { reject } of batch) reject(error);
}
