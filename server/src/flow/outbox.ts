import type { Ctx } from "../platform/context.ts";
import { groupBy } from "../platform/group-by.ts";
import { claimOutbox, type OutboxLane } from "../platform/outbox/claim-outbox.ts";
import type { OutboxEntry } from "../platform/outbox/enqueue-outbox.ts";
import { perService } from "../platform/service-state.ts";
import { BATCHED_KINDS, runOutboxEntries } from "./run-outbox.ts";

/** Processes the outbox for one instance. One per service. */
export const outboxOf = perService(openOutbox);

const WORKERS = 4; // of the ten connections of an instance
/** However long the batches of one project take, half of the workers remain for the others. */
const MAX_PER_PROJECT = 2;
const MAX_BATCH = 200;
const MAX_UNBATCHED = 10;
const MAX_PER_PASS = 100;
const START = "00000000-0000-0000-0000-000000000000";

type Batch = { lane: OutboxLane; done: Promise<void> };

function openOutbox(ctx: Ctx) {
  const inFlight = new Map<string, Batch>();
  /** Lanes in which everything failed: skipped until the next pass. */
  const delayed = new Map<string, OutboxLane>();
  let lastPass: Promise<unknown> = Promise.resolve();
  let after = START;
  let isStopped = false;
  /** There may be something to claim: a wake-up arrived, or a batch ended that left entries behind. */
  let isRequested = false;
  /** The last claim may have left entries behind: no worker was free, a batch was full, or for fairness. */
  let hasMore = false;
  let wake = () => {};

  function request(): void {
    isRequested = true;
    wake();
  }

  /**
   * Processes all entries, projects round-robin, including those that arrive meanwhile. True: there are more than one
   * pass handles; batches in flight then overlap with the next pass.
   */
  function pass(): Promise<boolean> {
    const thisPass = lastPass.then(processLanes);
    lastPass = thisPass.catch(() => {});
    return thisPass;
  }

  async function processLanes(): Promise<boolean> {
    delayed.clear();
    const unsubscribe = ctx.wakeup.onWake("outbox", request);
    try {
      isRequested = true;
      for (let batches = 0; !isStopped; ) {
        if (isRequested) batches += await claimAll();
        if (batches >= MAX_PER_PASS) return true;
        if (isRequested) continue;
        if (inFlight.size === 0) return false;
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return false;
    } finally {
      unsubscribe();
    }
  }

  /** Gives every free worker a batch, as long as there are batches. Returns how many. */
  async function claimAll(): Promise<number> {
    isRequested = false;
    const before = inFlight.size;
    hasMore = before > 0;
    for (let isSecondRound = after === START; inFlight.size < WORKERS; ) {
      const room = WORKERS - inFlight.size;
      const { claimed, scanned_to } = await claimOutbox(ctx, { ...LIMITS, after, room, skipped_lanes: skippedLanes() });
      for (const entries of groupBy(claimed, laneKey).values()) start(entries);
      after = inFlight.size === WORKERS ? lastOf(claimed) : (scanned_to ?? START);
      if (scanned_to !== undefined) continue;
      if (isSecondRound) break;
      isSecondRound = true;
    }
    hasMore ||= inFlight.size === WORKERS;
    return inFlight.size - before;
  }

  function start(entries: OutboxEntry[]): void {
    const [{ project_id, kind }] = entries as [OutboxEntry];
    const key = laneKey({ project_id, kind });
    hasMore ||= entries.length >= MAX_UNBATCHED;
    const done = runOutboxEntries(ctx, entries).then(({ failed, left }) => {
      inFlight.delete(key);
      if (failed === entries.length) delayed.set(key, { project_id, kind });
      if (hasMore || left > 0) request();
      else wake();
    });
    inFlight.set(key, { lane: { project_id, kind }, done });
  }

  function skippedLanes() {
    const busy = [...inFlight.values()].map(({ lane }) => ({ ...lane, is_busy: true }));
    return [...busy, ...[...delayed.values()].map((lane) => ({ ...lane, is_busy: false }))];
  }

  /** Claims no more, and waits for the batches in flight. */
  async function stop(): Promise<void> {
    isStopped = true;
    request();
    await lastPass;
    await Promise.all([...inFlight.values()].map(({ done }) => done));
  }

  return { pass, stop };
}

const LIMITS = {
  max_per_project: MAX_PER_PROJECT,
  batched: { kinds: BATCHED_KINDS, max: MAX_BATCH },
  max: MAX_UNBATCHED,
};

function laneKey({ project_id, kind }: OutboxLane): string {
  return `${project_id} ${kind}`;
}

function lastOf(claimed: readonly OutboxEntry[]): string {
  return claimed.reduce((last, { project_id }) => (project_id > last ? project_id : last), START);
}
