import type { Claim } from "../generated/schemas.ts";
import { CanceledError } from "../job-errors.ts";

type ClaimedRun = Claim["runs"][number];

/** A run from its claim until the service has its result. */
export type HeldRun = {
  readonly run: ClaimedRun;
  /** Aborts `ctx.signal`. */
  stop: (reason: CanceledError) => void;
  /** Another attempt has the run: no more heartbeats or results are sent. */
  isLost: boolean;
};

export type HeldRuns = {
  all: () => HeldRun[];
  /** How many more runs may be claimed. */
  room: () => number;
  /** Keeps room for a claim until `release`. */
  reserve: (count: number) => void;
  release: (count: number) => void;
  /** Starts runs, or keeps them until another has ended. */
  accept: (runs: readonly ClaimedRun[]) => void;
  remove: (held: HeldRun) => void;
  lose: (held: HeldRun, reason: CanceledError) => void;
  /** From now on no run is started. */
  close: () => void;
  /** Removes the runs that have not started. */
  takeWaiting: () => HeldRun[];
  /** Resolves at the next change. */
  changed: () => Promise<void>;
};

export function openHeldRuns(concurrency: number, execute: (held: HeldRun) => Promise<void>): HeldRuns {
  const held = new Set<HeldRun>();
  const newest = new Map<string, HeldRun>();
  const { changed, notify } = openChanges();
  const pace = openPace(concurrency);
  let waiting: HeldRun[] = [];
  let [executing, reserved, isClosed] = [0, 0, false];

  async function start(next: HeldRun): Promise<void> {
    executing++;
    const startedAt = performance.now();
    await execute(next);
    executing--;
    pace.note(performance.now() - startedAt);
    startWaiting();
    notify();
  }
  function startWaiting(): void {
    while (!isClosed && executing < concurrency) {
      const next = waiting.shift();
      if (!next) return;
      void start(next);
    }
  }
  function lose(lost: HeldRun, reason: CanceledError): void {
    lost.isLost = true;
    lost.stop(reason);
    if (!waiting.includes(lost)) return;
    waiting = waiting.filter((each) => each !== lost);
    remove(lost);
  }
  function remove(ended: HeldRun): void {
    held.delete(ended);
    if (newest.get(ended.run.run_id) === ended) newest.delete(ended.run.run_id);
    notify();
  }
  function accept(run: ClaimedRun): void {
    const earlier = newest.get(run.run_id);
    if (earlier) lose(earlier, new CanceledError("A later attempt has the run."));
    const fresh = { run, stop: () => {}, isLost: false };
    held.add(fresh);
    newest.set(run.run_id, fresh);
    waiting.push(fresh);
  }
  function reserve(count: number): void {
    reserved += count;
    notify();
  }

  return {
    all: () => [...held].filter(({ isLost }) => !isLost),
    room: () => concurrency + pace.ahead() - held.size - reserved,
    reserve,
    release: (count) => reserve(-count),
    accept: (runs) => {
      for (const run of runs) accept(run);
      startWaiting();
    },
    remove,
    lose,
    close: () => {
      isClosed = true;
    },
    takeWaiting: () => {
      const taken = waiting.splice(0);
      for (const each of taken) remove(each);
      return taken;
    },
    changed,
  };
}

function openChanges() {
  let listeners: (() => void)[] = [];
  return {
    changed: () => new Promise<void>((resolve) => listeners.push(resolve)),
    notify: () => {
      const notified = listeners;
      listeners = [];
      for (const listener of notified) listener();
    },
  };
}

/** Runs that end within so long are claimed ahead: a claim takes about as long. */
const AHEAD_MS = 50;

/** How many runs to claim ahead. Slow ones are not: another worker may be free for them. */
function openPace(concurrency: number) {
  let usualMs = Number.POSITIVE_INFINITY;
  return {
    note: (tookMs: number) => {
      usualMs = Number.isFinite(usualMs) ? usualMs * 0.9 + tookMs * 0.1 : tookMs;
    },
    ahead: () => Math.min(concurrency, Math.floor((concurrency * AHEAD_MS) / Math.max(1, usualMs))),
  };
}

export function leaseOf({ run: { run_id, attempt, lease_token } }: HeldRun) {
  return { run_id, attempt, lease_token };
}
