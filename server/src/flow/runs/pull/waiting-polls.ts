import type { ClaimedRun } from "../claim/claimed-run.ts";
import type { WorkerLease } from "../claim/lease-runs.ts";

/** What runs may be handed to a poll: under its lease, and how many it asks for. */
export type Offer = { lease: WorkerLease; max: number };

/** A long poll that waits for runs. `hand` ends the wait with runs; empty: it should look whether there are any. */
type Waiter = { since: number; offer: Offer | undefined; wake: () => void; reserve: () => Reservation };

/** Long polls that may claim from the same lanes, the one that has waited longest first. */
type Waiters = Pick<PollScope, "serves" | "servesJob"> & { polls: Set<Waiter> };

/** A poll that waits for runs which are being created for it, and for nothing else. */
export type Reservation = Offer & { hand: (runs: ClaimedRun[]) => void };

type Job = { slug: string; queue: string };

/** What a poll waits for: `scope` is equal for polls that serve the same lanes. `serves`: as far as this instance knows. */
export type PollScope = {
  scope: string;
  serves: (host: string) => boolean;
  servesJob: (host: string, job: Job) => boolean;
};

export type WaitOptions = { ms: number; onClose: (fn: () => void) => void; offer?: Offer };

export type WaitingPolls = {
  size: () => number;
  /** Resolves with runs that were handed to it; without any when it is woken, or its time is up, or it is closed. */
  wait: (scope: PollScope, options: WaitOptions) => Promise<ClaimedRun[]>;
  /** As many polls as can take so many runs: others would only wait for their claims. */
  wakeFor: (host: string, count: number) => void;
  wakeAll: () => void;
  /** The poll that has waited longest of those that serve the lane. It no longer waits. Undefined: there is none. */
  reserve: (host: string, job: Job) => Reservation | undefined;
};

/** After a wake-up for many runs, this many polls claim at once; each one that leaves runs behind wakes the next. */
const MAX_WOKEN = 4;

/** The polls of one project on this instance. A wake-up asks once for all polls of a scope whether they serve a lane. */
export function openWaitingPolls(): WaitingPolls {
  const scopes = new Map<string, Waiters>();
  let begun = 0;

  function wait({ scope, serves, servesJob }: PollScope, { ms, onClose, offer }: WaitOptions): Promise<ClaimedRun[]> {
    return new Promise((resolve) => {
      const waiters = scopes.get(scope) ?? { serves, servesJob, polls: new Set() };
      const waiter: Waiter = { since: begun++, offer, wake: done, reserve };
      const timer = setTimeout(done, ms);
      let isReserved = false;
      function leave(): void {
        clearTimeout(timer);
        waiters.polls.delete(waiter);
        if (waiters.polls.size === 0 && scopes.get(scope) === waiters) scopes.delete(scope);
      }
      function done(): void {
        leave();
        // Runs that are being created for it have its lease, whether or not it is still there.
        if (!isReserved) resolve([]);
      }
      function reserve(): Reservation {
        leave();
        isReserved = true;
        return { ...(offer as Offer), hand: resolve };
      }
      waiters.polls.add(waiter);
      scopes.set(scope, waiters);
      onClose(done);
    });
  }

  const serving = (host: string) => [...scopes.values()].filter(({ serves }) => serves(host));

  function wakeFor(host: string, count: number): void {
    const all = serving(host);
    let left = count;
    for (let woken = 0; left > 0 && woken < MAX_WOKEN; woken++) {
      const first = longestWaiting(all);
      if (!first) return;
      left -= first.offer?.max ?? 1;
      first.wake();
    }
  }

  return {
    size: () => [...scopes.values()].reduce((sum, { polls }) => sum + polls.size, 0),
    wait,
    wakeFor,
    wakeAll: () => {
      for (const { polls } of [...scopes.values()]) for (const { wake } of [...polls]) wake();
    },
    reserve: (host, job) => {
      const first = longestWaiting([...scopes.values()].filter(({ servesJob }) => servesJob(host, job)));
      return first?.offer && first.reserve();
    },
  };
}

function longestWaiting(all: readonly Waiters[]): Waiter | undefined {
  const heads = all.flatMap(({ polls }) => polls.values().next().value ?? []);
  return heads.sort((a, b) => a.since - b.since)[0];
}
