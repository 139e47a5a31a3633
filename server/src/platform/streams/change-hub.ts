import { setTimeout as pause } from "node:timers/promises";
import { positionNow, sequenceChanges } from "../changelog/sequence-changes.ts";
import { OTHER_CHANGES_TOPIC, RUN_CHANGES_TOPIC } from "../changelog/wake-readers.ts";
import type { Ctx } from "../context.ts";
import { groupBy } from "../group-by.ts";
import { logFailure } from "../logging/log-failure.ts";
import { perService } from "../service-state.ts";
import type { StateKind, Watched } from "./change-slices.ts";
import { isOfThisLog } from "./is-of-this-log.ts";
import { type Change, type ChangeSlice, readChanges } from "./read-changes.ts";
import { isBehind, type StreamPosition } from "./stream-position.ts";

const POLL_EVERY_MS = 500; // covers lost wake-ups; nothing is read while there are no subscribers
const MIN_INTERVAL_MS = 15; // between the starts of two reads: each instance may wake this one as often
const MAX_CHANGES = 2_000; // changes per pass: a few tens of milliseconds
const MAX_WAIT_MS = 2_000; // for subscribers that catch up to consume a read, before the next
const RETRY_MS = 500;

/** A subscriber that receives each change once, in order. */
export type ChangeSubscriber = {
  project_id: string;
  /** Runs whose log lines are wanted. */
  log_run_ids: string[];
  /** Changes wanted in addition to the logs. */
  states?: readonly StateKind[];
  take: (changes: Change[]) => void;
  /** Everything before this position has been delivered. */
  moved: (at: StreamPosition) => void;
  /**
   * Called when `take` failed, or the log does not have what was delivered: the stream ends, and its client reconnects
   * and resumes after the last event sent.
   */
  failed: () => void;
  /** Resolves when everything delivered has been sent. */
  drained: () => Promise<void>;
};

type Entry = { subscriber: ChangeSubscriber; at: StreamPosition };
type Hub = {
  /** Subscribers that receive new changes, all from the same position on. */
  live: Set<Entry>;
  /** Subscribers that started from an older position, until they have caught up. */
  behind: Set<Entry>;
  at: StreamPosition | undefined;
  reading: Promise<void> | undefined;
  /** When the last read began. */
  readAt: number;
  /** A wake-up that the last read may not have seen. */
  isWoken: boolean;
  /** The next read is scheduled. */
  timer: NodeJS.Timeout | undefined;
  isCatchingUp: boolean;
  /** A read failed: the next database that responds may be a standby whose log is shorter. */
  isUnsure: boolean;
  /** Stops listening for changes. Undefined: there are no subscribers. */
  stop: (() => void) | undefined;
};

const hubOf = perService(
  (_: Ctx): Hub => ({
    live: new Set(),
    behind: new Set(),
    at: undefined,
    reading: undefined,
    readAt: Number.NEGATIVE_INFINITY,
    isWoken: false,
    timer: undefined,
    isCatchingUp: false,
    isUnsure: false,
    stop: undefined,
  }),
);

/** A position before everything that commits from now on. Costs no statement while there are other subscribers. */
export async function streamPositionNow(ctx: Ctx): Promise<StreamPosition> {
  const { at, isUnsure } = hubOf(ctx);
  if (at && !isUnsure) return at;
  return { position: await positionNow(ctx), ms: Math.floor(ctx.watch.nowMs()), inside: undefined };
}

/**
 * Delivers everything committed after `since`, now and later, until the returned function is called. `now`: the
 * position of the live subscribers.
 */
export function followChanges(
  ctx: Ctx,
  subscriber: ChangeSubscriber,
  { since, now }: { since: StreamPosition; now: StreamPosition },
): () => void {
  const hub = hubOf(ctx);
  const entry = { subscriber, at: since };
  hub.at ??= now;
  hub.behind.add(entry);
  hub.stop ??= listen(ctx, hub);
  joinLive(ctx, hub);
  void catchUp(ctx, hub);
  return () => {
    hub.live.delete(entry);
    hub.behind.delete(entry);
    if (hub.live.size + hub.behind.size > 0) return;
    hub.stop?.();
    hub.stop = undefined;
    hub.at = undefined;
  };
}

/** Reads after each wake-up, and periodically without one. */
function listen(ctx: Ctx, hub: Hub): () => void {
  const read = () => wakeHub(ctx, hub);
  const unsubscribe = [RUN_CHANGES_TOPIC, OTHER_CHANGES_TOPIC].map((topic) => ctx.wakeup.onWake(topic, read));
  const timer = setInterval(read, POLL_EVERY_MS).unref();
  return () => {
    for (const end of unsubscribe) end();
    clearInterval(timer);
    clearTimeout(hub.timer);
    hub.timer = undefined;
  };
}

/**
 * Moves subscribers that have caught up to the live ones. Not during a read: its filter may not include them. Then
 * reads: there may be no further wake-up for what was appended since their position.
 */
function joinLive(ctx: Ctx, hub: Hub): void {
  const { live, behind, at, reading } = hub;
  if (reading || !at) return;
  const caughtUp = [...behind].filter((entry) => !entry.at.inside && entry.at.position >= at.position);
  for (const entry of caughtUp) {
    behind.delete(entry);
    live.add(entry);
  }
  if (caughtUp.length > 0) wakeHub(ctx, hub);
}

/** Reads soon: at once, or when the read in progress has ended and the interval has passed. */
function wakeHub(ctx: Ctx, hub: Hub): void {
  hub.isWoken = true;
  if (hub.reading || hub.timer) return;
  const leftMs = hub.readAt + MIN_INTERVAL_MS - performance.now();
  const read = () => {
    hub.timer = undefined;
    readLive(ctx, hub);
  };
  if (leftMs <= 0) read();
  else hub.timer = setTimeout(read, leftMs).unref();
}

function readLive(ctx: Ctx, hub: Hub): void {
  hub.readAt = performance.now();
  hub.isWoken = false;
  hub.reading = readNew(ctx, hub)
    .catch((error) => {
      hub.isUnsure = true;
      ctx.log.debug({ reason: String(error) }, "changes could not be read; retrying");
    })
    .finally(() => {
      hub.reading = undefined;
      joinLive(ctx, hub);
      if (hub.isWoken && hub.stop) wakeHub(ctx, hub);
    });
}

async function readNew(ctx: Ctx, hub: Hub): Promise<void> {
  await sequenceChanges(ctx);
  await endIfLogIsAnother(ctx, hub);
  for (let hasMore = true; hasMore && hub.at && hub.live.size > 0; ) {
    const slice = await readChanges(ctx, hub.at.position, watchedBy(hub.live), MAX_CHANGES);
    // All subscribers left during the read; new ones may have joined since, at another position.
    if (!hub.at || slice.upTo < hub.at.position) return;
    hub.at = positionAfter(slice);
    deliver(ctx, hub.live, slice);
    hasMore = slice.has_more;
  }
}

/** Clients of ended streams reconnect. Those that have seen what this log does not have get a `reset`. */
async function endIfLogIsAnother(ctx: Ctx, hub: Hub): Promise<void> {
  const { at } = hub;
  if (!hub.isUnsure || !at) return;
  const isSame = await isOfThisLog(ctx, at);
  hub.isUnsure = false;
  if (isSame || hub.at !== at) return;
  const ended = [...hub.live, ...hub.behind];
  hub.live.clear();
  hub.behind.clear();
  hub.at = undefined;
  for (const { subscriber } of ended) subscriber.failed();
}

/** One read for all subscribers that are behind, from the oldest of their positions. */
async function catchUp(ctx: Ctx, hub: Hub): Promise<void> {
  if (hub.isCatchingUp) return;
  hub.isCatchingUp = true;
  while (hub.behind.size > 0) {
    try {
      await endIfLogIsAnother(ctx, hub);
      const round = [...hub.behind];
      if (round.length === 0) break; // their streams have ended
      deliver(ctx, round, await readChanges(ctx, oldestPosition(round), watchedBy(round), MAX_CHANGES));
      await hub.reading;
      joinLive(ctx, hub);
      const left = round.filter((entry) => hub.behind.has(entry));
      const drained = Promise.all(left.map(({ subscriber }) => subscriber.drained()));
      await Promise.race([drained, pause(MAX_WAIT_MS, undefined, { ref: false })]);
    } catch (error) {
      hub.isUnsure = true;
      ctx.log.debug({ reason: String(error) }, "catching up with changes failed; retrying");
      await pause(RETRY_MS);
    }
  }
  hub.isCatchingUp = false;
}

function deliver(ctx: Ctx, entries: Iterable<Entry>, slice: ChangeSlice): void {
  const at = positionAfter(slice);
  const ofProject = groupBy(slice.changes, ({ project_id }) => project_id);
  for (const entry of entries) {
    const { subscriber } = entry;
    const changes = ofProject.get(subscriber.project_id) ?? [];
    const unseen = changes.filter((change) => isBehind(entry.at, change.position, change));
    const isAhead = at.position < entry.at.position;
    if (!isAhead) entry.at = at;
    // The log ends before its row, which was removed: it has caught up.
    else if (!slice.has_more) entry.at = { ...entry.at, inside: undefined };
    try {
      if (unseen.length > 0) subscriber.take(unseen);
      if (!isAhead) subscriber.moved(at);
    } catch (error) {
      logFailure(ctx, error, {}, "a subscriber of changes failed");
      subscriber.failed();
    }
  }
}

/** Where to read from so that no subscriber misses anything: a row delivered in part is read again. */
function oldestPosition(entries: readonly Entry[]): number {
  return Math.min(...entries.map(({ at: { position, inside } }) => (inside ? position - 1 : position)));
}

function positionAfter({ upTo, ms }: ChangeSlice): StreamPosition {
  return { position: upTo, ms, inside: undefined };
}

function watchedBy(entries: Iterable<Entry>): Watched {
  const subscribers = [...entries].map(({ subscriber }) => subscriber);
  return {
    project_ids: [...new Set(subscribers.map(({ project_id }) => project_id))],
    log_run_ids: [...new Set(subscribers.flatMap(({ log_run_ids }) => log_run_ids))],
    states: [...new Set(subscribers.flatMap(({ states }) => states ?? []))],
  };
}
