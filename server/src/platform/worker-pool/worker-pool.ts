import type { Ctx } from "../context.ts";
import { logFailure } from "../logging/log-failure.ts";
import { type AbortHandle, abortRequest } from "../outgoing/abort-handle.ts";

/** What a claim left behind: `more` is claimed at once, `more_later` when an item has ended. */
export type Remaining = "nothing" | "more" | "more_later";

/** `active`: items being sent. `queued`: claimed items that wait for a slot. */
type PoolLoad = { active: number; queued: number };

export type PoolItem = { abortHandle: AbortHandle };

export type PoolWork<T extends PoolItem, O> = {
  name: string;
  /** How many items are sent at once. Those claimed beyond that wait in this process. */
  slots: number;
  /** The counters of the pool, for metrics and for limits on claims. */
  load?: PoolLoad;
  /** Claims items and passes each to `take`; one claim at a time. Not a promise: there was no room or no work. */
  claim: () => Remaining | Promise<Remaining>;
  send: (item: T) => O | Promise<O>;
  /** Writes the result. Absent: `send` does. */
  settle?: (item: T, outcome: O) => Promise<void>;
  /** When its slot is free for the next item. */
  freesSlot: "when_sent" | "when_settled";
  /** Its slot is free; called before the next item starts. */
  freed?: (item: T) => void;
  /** Nothing is left to do for the item. */
  ended?: (item: T) => void;
};

export type WorkerPool<T extends PoolItem> = {
  /** There may be work: claims it if there is room, at the latest after the claim in progress. */
  wake: () => void;
  /** The same; resolves after a claim that began now or later, and rejects if that failed. */
  poll: () => Promise<void>;
  /** Sends an item that was claimed. */
  take: (item: T) => void;
  /** All items that were taken and have not ended. */
  held: ReadonlySet<T>;
  load: Readonly<PoolLoad>;
  isStopped: () => boolean;
  /** Resolves when nothing is held or being claimed. */
  idle: () => Promise<void>;
  /**
   * Claims no more, aborts items that have not started, and waits this long for the others; then aborts them too.
   * `settle` returns aborted items to the queue.
   */
  drain: (graceMs: number) => Promise<void>;
};

/** Claims, sends and settles the items of one instance. `send` sees aborted items by their handle. */
export function openWorkerPool<T extends PoolItem, O>(ctx: Ctx, work: PoolWork<T, O>): WorkerPool<T> {
  const held = new Set<T>();
  const waiting: T[] = [];
  const load = work.load ?? { active: 0, queued: 0 };
  let claiming: Promise<Remaining> | undefined;
  let left: Remaining = "nothing";
  let isFreedMeanwhile = false;
  let isStopped = false;
  const idle = openWhenIdle(() => held.size === 0 && !claiming);

  function wake(): void {
    left = "more";
    claimMore();
  }

  function claimMore(): void {
    if (isStopped || claiming || left === "nothing") return;
    left = "nothing";
    isFreedMeanwhile = false;
    const found = work.claim();
    if (typeof found === "string") left = found;
    else void continueAfter(found);
  }

  async function continueAfter(claim: Promise<Remaining>): Promise<void> {
    claiming = claim;
    let found: Remaining = "nothing";
    try {
      found = await claim;
    } catch (error) {
      ctx.log.debug({ pool: work.name, reason: String(error) }, "a claim failed; the next poll retries");
    }
    claiming = undefined;
    // A wake-up during the claim stays: the claim may not have seen its work.
    if (left === "nothing") left = found;
    if (left === "more" || isFreedMeanwhile) claimMore();
    idle.check();
  }

  async function poll(): Promise<void> {
    await claiming?.catch(() => {});
    wake();
    await claiming;
  }

  function take(item: T): void {
    held.add(item);
    waiting.push(item);
    startWaiting();
  }

  function startWaiting(): void {
    while (load.active < work.slots && waiting.length > 0) {
      const next = waiting.shift();
      if (next) void run(next);
    }
    load.queued = waiting.length;
  }

  async function run(item: T): Promise<void> {
    load.active++;
    let isFreed = false;
    try {
      const outcome = await work.send(item);
      if (work.freesSlot === "when_sent") {
        isFreed = true;
        free(item);
      }
      await work.settle?.(item, outcome);
    } catch (error) {
      // Its claim expires by itself, and it is claimed again.
      logFailure(ctx, error, { pool: work.name }, "an item could not be processed");
    }
    held.delete(item);
    work.ended?.(item);
    if (!isFreed) free(item);
    idle.check();
  }

  function free(item: T): void {
    load.active--;
    isFreedMeanwhile = true;
    work.freed?.(item);
    startWaiting();
    claimMore();
  }

  async function drain(graceMs: number): Promise<void> {
    isStopped = true;
    await claiming?.catch(() => {});
    const unsent = waiting.splice(0);
    for (const { abortHandle } of unsent) abortRequest(abortHandle);
    for (const item of unsent) void run(item);
    const graceTimer = setTimeout(() => {
      for (const { abortHandle } of held) abortRequest(abortHandle);
    }, graceMs);
    await idle.wait();
    clearTimeout(graceTimer);
  }

  return { wake, poll, take, held, load, isStopped: () => isStopped, idle: idle.wait, drain };
}

type WhenIdle = {
  /** Resolves when nothing is left to do. */
  wait: () => Promise<void>;
  /** An operation ended: wakes the waiters if it was the last. */
  check: () => void;
};

function openWhenIdle(isIdle: () => boolean): WhenIdle {
  let waiting: (() => void)[] = [];

  function check(): void {
    if (!isIdle()) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    check,
    wait: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        check();
      }),
  };
}
