import { addStart, nextRoomMs, type RateWindow, roomIn } from "./rate-window.ts";

/** A run that asks for its place under every limit of its job. */
export type Candidate = {
  run_id: string;
  /** Its place in line: microseconds, the smaller the earlier. */
  rank: number;
  /** The limit whose room it was released for. Null: it waits for none. */
  granted_by: string | null;
  /** Set: it may not start whatever the counters say. */
  refused: string | undefined;
  /** Concurrency counters it needs a slot of, with their limits. */
  slots: { key: string; max: number }[];
  /** Rate windows it is counted in, with their limits. */
  rates: { key: string; max: number }[];
};

/** A run that waits for a limit: blocked on it, or released, by this limit or another, and about to ask for it. */
export type Waiter = {
  run_id: string;
  rank: number;
  is_granted: boolean;
  /** The limits it will ask for when this one releases it, as far as they are known. */
  needs: readonly string[];
};

/** As locked: changed in place by the decision. `waiting`: by limit, the first in line, where the limit has room. */
export type Counters = {
  active: Map<string, number>;
  windows: Map<string, RateWindow>;
  waiting: Map<string, Waiter[]>;
};

export type Admission = {
  admitted: { run_id: string; slots: string[] }[];
  /** `reason` is the one limit whose release will bring it back. */
  blocked: { run_id: string; reason: string }[];
  /** Windows that runs are blocked on, and when each next has room. */
  nextRoomMs: Map<string, number>;
  /** Limits with more room than runs that were released for it: so many more may be. */
  offered: Map<string, number>;
};

/**
 * Who may start, in order of rank. Concurrency is asked first; all limits are taken together or none, so there is
 * nothing to give back. Who waits for a limit goes before whoever comes later, even with a better rank: a newcomer starts
 * only if there is room for all who wait and for itself. Among those that have waited rank decides, but for the place that
 * was granted: that one is kept. Pure: the caller holds the locks.
 */
export function admitRuns(candidates: readonly Candidate[], counters: Counters): Admission {
  const admission: Admission = { admitted: [], blocked: [], nextRoomMs: new Map(), offered: new Map() };
  for (const candidate of candidates) {
    const reason = candidate.refused ?? findBlocker(candidate, counters);
    if (reason === undefined) admit(candidate, counters, admission);
    else block(candidate, reason, counters, admission);
  }
  for (const candidate of candidates) offerRoom(candidate, counters, admission);
  return admission;
}

function findBlocker(candidate: Candidate, counters: Counters): string | undefined {
  const rooms = roomsOf(candidate, counters);
  const full = rooms.find(({ key, room }) => room <= countAhead(candidate, key, counters));
  return full?.key ?? findQueueAhead(candidate, rooms, counters);
}

/**
 * A run ahead of this one may still be blocked on a limit they share, one with room for both, and need the last place of
 * another: this run then waits behind it on the shared limit. Both are released together, in order.
 */
function findQueueAhead(candidate: Candidate, rooms: readonly Room[], counters: Counters): string | undefined {
  const limits = rooms.map(({ key }) => key);
  for (const { key, room } of rooms) {
    const ahead = limits.flatMap((limit) =>
      aheadOf(candidate, limit, counters)
        .filter((waiter) => !waiter.is_granted && limit !== key && waiter.needs.includes(key))
        .map(() => limit),
    );
    if (room <= countAhead(candidate, key, counters) + ahead.length) return ahead[0];
  }
  return undefined;
}

type Room = { key: string; room: number };

/** The limits of a run, in the order in which it asks for them. */
function roomsOf({ slots, rates }: Candidate, { active, windows }: Counters): Room[] {
  return [
    ...slots.map(({ key, max }) => ({ key, room: max - (active.get(key) ?? 0) })),
    ...rates.map(({ key, max }) => ({ key, room: roomIn(windowOf(windows, key), max) })),
  ];
}

function countAhead(candidate: Candidate, key: string, counters: Counters): number {
  const ahead = aheadOf(candidate, key, counters);
  return candidate.granted_by === key ? ahead.filter((other) => other.is_granted).length : ahead.length;
}

/** Everybody who waits, for a newcomer; for a run that has waited itself, those with a better rank. */
function aheadOf({ run_id, rank, granted_by }: Candidate, key: string, { waiting }: Counters): Waiter[] {
  const others = (waiting.get(key) ?? []).filter((waiter) => waiter.run_id !== run_id);
  return granted_by === null ? others : others.filter((other) => isBefore(other, { rank, run_id }));
}

type Place = Pick<Waiter, "rank" | "run_id">;

function isBefore(one: Place, other: Place): boolean {
  return one.rank < other.rank || (one.rank === other.rank && one.run_id < other.run_id);
}

function admit(candidate: Candidate, counters: Counters, admission: Admission): void {
  const { run_id, slots, rates } = candidate;
  for (const { key } of slots) counters.active.set(key, (counters.active.get(key) ?? 0) + 1);
  for (const { key } of rates) addStart(windowOf(counters.windows, key));
  leaveLine(candidate, counters);
  admission.admitted.push({ run_id, slots: slots.map(({ key }) => key) });
}

/** What was granted it lapses: the place is offered to the next in line. */
function block(candidate: Candidate, reason: string, counters: Counters, admission: Admission): void {
  const { run_id, rank, slots, rates } = candidate;
  admission.blocked.push({ run_id, reason });
  leaveLine(candidate, counters);
  const waiter = { run_id, rank, is_granted: false, needs: [...slots, ...rates].map(({ key }) => key) };
  counters.waiting.set(reason, [...(counters.waiting.get(reason) ?? []), waiter]);
  const rate = rates.find(({ key }) => key === reason);
  if (rate) admission.nextRoomMs.set(reason, nextRoomMs(windowOf(counters.windows, reason), rate.max));
}

function leaveLine({ run_id, granted_by }: Candidate, { waiting }: Counters): void {
  if (granted_by === null) return;
  for (const [key, waiters] of waiting) {
    if (waiters.some((waiter) => waiter.run_id === run_id)) {
      waiting.set(
        key,
        waiters.filter((waiter) => waiter.run_id !== run_id),
      );
    }
  }
}

/** As many runs are released for a limit as it has room: no more, or they would only ask and be refused. */
function offerRoom(candidate: Candidate, counters: Counters, { offered }: Admission): void {
  for (const { key, room } of roomsOf(candidate, counters)) {
    const waiters = counters.waiting.get(key) ?? [];
    const granted = waiters.filter((waiter) => waiter.is_granted).length;
    const count = Math.min(room - granted, waiters.length - granted);
    if (count > 0) offered.set(key, count);
  }
}

function windowOf(windows: Map<string, RateWindow>, key: string): RateWindow {
  const window = windows.get(key);
  if (!window) throw new Error(`the window ${key} is not locked`);
  return window;
}
