import type { Lane } from "../runs/claim/lanes.ts";
import { neededLimits, type RunLimits } from "./job-limits.ts";
import { addStart, nextRoomMs, type RateWindow, roomIn } from "./rate-window.ts";

/** A grant that is unclaimed for longer belongs to a lane that is not being served, and holds up no other run. */
const CLAIMED_WITHIN_US = 1_000_000;

/** A run that needs admission under every limit of its job. */
export type Candidate = RunLimits & {
  run_id: string;
  /** Queue position in microseconds; smaller is earlier. */
  rank: number;
  /** The limit that released it with a grant. Null: none has. */
  granted_by: string | null;
  /** Since when limits have refused it, in microseconds. Null: none has. */
  refused_since: number | null;
  /** Since when it could be claimed, in microseconds. */
  since: number;
  /** The limits in which it has kept its slot. */
  kept: readonly string[];
  /** The limits in which it may keep a slot if another refuses it, in the order in which it acquires them. */
  keepable: readonly string[];
  /** Set: it must not start, regardless of the counters. */
  refused: string | undefined;
};

/** A run that waits for a limit: blocked on it, or released by this or another limit and about to request admission. */
export type Waiter = {
  run_id: string;
  rank: number;
  is_granted: boolean;
  refused_since: number | null;
  /** Since when its slot is granted, or when it was last released, in microseconds. */
  since: number;
  /** The limits it will request when this one releases it. */
  needs: readonly string[];
};

/**
 * A run that could be claimed, but that no claim has come to, or that another claim holds: it will request its limits
 * soon.
 */
export type Unseen = Pick<Waiter, "run_id" | "rank" | "since" | "needs"> & {
  /** Its lane, if that is one of the claim. */
  lane: Lane | null;
};

/**
 * As locked; the decision changes them in place. `waiting`: the first waiters of each limit that has capacity; `unseen`:
 * in order of rank.
 */
export type Counters = {
  active: Map<string, number>;
  windows: Map<string, RateWindow>;
  waiting: Map<string, Waiter[]>;
  unseen: readonly Unseen[];
};

export type Admission = {
  admitted: { run_id: string; slots: string[] }[];
  /** `reason` is the one limit whose release will unblock it; `kept`: the limits in which it keeps its slot meanwhile. */
  blocked: { run_id: string; reason: string; kept: string[] }[];
  /** Runs that leave their slots to unseen ones: they stay claimable, with their grants. `behind`: the first of those. */
  deferred: { run_id: string; behind: Unseen }[];
  /** Windows that runs are blocked on, and when each next has capacity. */
  nextRoomMs: Map<string, number>;
  /** Limits with more capacity than runs released for them: how many more may be released. */
  offered: Map<string, number>;
};

/**
 * Decides which runs may start, in order of rank. Concurrency is checked first; a run takes all its limits together or
 * none, so there is nothing to release. Runs that wait for a limit go before newcomers, even those with a better rank:
 * a newcomer starts only if there is capacity for all waiters and for itself. Among waiters rank decides, except that a
 * run with a grant goes before those that are still blocked. A run that was claimable before another got its grant
 * counts as a waiter too; if this decision does not include it, the other leaves it the slot and is decided again.
 *
 * A starving run, refused by one limit while another had room, keeps its slots in the limits before the one that
 * refuses it, in one order for all runs: a run that waits for a kept slot waits for one further on in that order, so
 * never in a circle. Only the first waiter of a limit keeps slots in others. Pure: the caller holds the locks.
 */
export function admitRuns(candidates: readonly Candidate[], counters: Counters): Admission {
  const admission: Admission = { admitted: [], blocked: [], deferred: [], nextRoomMs: new Map(), offered: new Map() };
  for (const candidate of candidates) {
    const reason = candidate.refused ?? findBlocker(candidate, counters);
    const behind = reason === undefined ? findUnseenAhead(candidate, counters) : undefined;
    if (reason !== undefined) block(candidate, reason, counters, admission);
    else if (behind !== undefined) admission.deferred.push({ run_id: candidate.run_id, behind });
    else admit(candidate, counters, admission);
  }
  for (const candidate of candidates) offerSlot(candidate, counters, admission);
  return admission;
}

function findBlocker(candidate: Candidate, counters: Counters): string | undefined {
  const rooms = roomsOf(candidate, counters);
  const full = rooms.find(({ key, room }) => room <= countAhead(candidate, key, counters));
  return full?.key ?? findCompetitorAhead(candidate, rooms, counters) ?? findQueueAhead(candidate, rooms, counters);
}

/**
 * An earlier run that needs no other limits could start now, too: it goes first, even if there is capacity for both. But
 * a run with a grant goes first if the other could be claimed only later: it did not wait yet when the slot was granted.
 */
function findCompetitorAhead(candidate: Candidate, rooms: readonly Room[], counters: Counters): string | undefined {
  const limits = new Set(rooms.map(({ key }) => key));
  const goesFirst = ({ needs, refused_since, is_granted, since }: Waiter) =>
    (!is_granted || candidate.since - since < CLAIMED_WITHIN_US) &&
    needs.length > 0 &&
    needs.every((need) => limits.has(need)) &&
    (candidate.granted_by === null || Math.min(since, refused_since ?? since) < candidate.since);
  return rooms.find(({ key }) => aheadOf(candidate, key, counters).some(goesFirst))?.key;
}

/**
 * An earlier run may still be blocked on a shared limit that has capacity for both, and need the last slot of another
 * limit: this run then waits behind it on the shared limit. Both are released together, in order.
 */
function findQueueAhead(candidate: Candidate, rooms: readonly Room[], counters: Counters): string | undefined {
  const limits = rooms.map(({ key }) => key);
  for (const { key, room } of rooms) {
    const others = limits.filter((limit) => limit !== key);
    const ahead = others.flatMap((limit) =>
      aheadOf(candidate, limit, counters)
        .filter((waiter) => !waiter.is_granted && waiter.needs.includes(key))
        .map(() => limit),
    );
    if (room <= countAhead(candidate, key, counters) + ahead.length) return ahead[0];
  }
  return undefined;
}

/**
 * The first of the unseen runs that need the last slots of a limit and have a better rank; for a run with a grant, only
 * of those that were claimable before it got that.
 */
function findUnseenAhead(candidate: Candidate, counters: Counters): Unseen | undefined {
  const ahead = counters.unseen.filter(
    (other) => isBefore(other, candidate) && (candidate.granted_by === null || other.since < candidate.since),
  );
  for (const { key, room } of roomsOf(candidate, counters)) {
    const needing = ahead.filter(({ needs }) => needs.includes(key));
    if (needing.length > 0 && room <= countAhead(candidate, key, counters) + needing.length) return needing[0];
  }
  return undefined;
}

type Room = { key: string; room: number };

/** The limits of a run, in the order in which they are checked. */
function roomsOf({ slots, rates }: Candidate, { active, windows }: Counters): Room[] {
  return [
    ...slots.map(({ key, max }) => ({ key, room: max - (active.get(key) ?? 0) })),
    ...rates.map(({ key, max }) => ({ key, room: roomIn(windowOf(windows, key), max) })),
  ];
}

function countAhead(candidate: Candidate, key: string, counters: Counters): number {
  const ahead = aheadOf(candidate, key, counters);
  const isHeld = candidate.granted_by === key || candidate.kept.includes(key);
  return isHeld ? ahead.filter((other) => other.is_granted).length : ahead.length;
}

/**
 * The waiters with a better rank. For a newcomer also those with a worse one, unless they were granted their slots
 * after it became claimable.
 */
function aheadOf({ run_id, rank, granted_by, since }: Candidate, key: string, { waiting }: Counters): Waiter[] {
  const others = (waiting.get(key) ?? []).filter((waiter) => waiter.run_id !== run_id);
  const isLate = (other: Waiter) => granted_by !== null || (other.is_granted && other.since > since);
  return others.filter((other) => isBefore(other, { rank, run_id }) || !isLate(other));
}

type Ranked = Pick<Waiter, "rank" | "run_id">;

function isBefore(one: Ranked, other: Ranked): boolean {
  return one.rank < other.rank || (one.rank === other.rank && one.run_id < other.run_id);
}

function admit(candidate: Candidate, counters: Counters, admission: Admission): void {
  const { run_id, slots, rates } = candidate;
  for (const { key } of slots) counters.active.set(key, (counters.active.get(key) ?? 0) + 1);
  for (const { key } of rates) addStart(windowOf(counters.windows, key));
  leaveQueue(candidate, counters);
  admission.admitted.push({ run_id, slots: slots.map(({ key }) => key) });
}

/** Its grant lapses: the next waiter gets the slot, unless it is kept. */
function block(candidate: Candidate, reason: string, counters: Counters, admission: Admission): void {
  const { run_id, rank, refused_since, since, rates } = candidate;
  const kept = findKept(candidate, reason, counters);
  admission.blocked.push({ run_id, reason, kept });
  leaveQueue(candidate, counters);
  const waiter = { run_id, rank, refused_since, since, needs: neededLimits(candidate) };
  for (const key of [reason, ...kept]) {
    counters.waiting.set(key, [...(counters.waiting.get(key) ?? []), { ...waiter, is_granted: key !== reason }]);
  }
  const rate = rates.find(({ key }) => key === reason);
  if (rate) admission.nextRoomMs.set(reason, nextRoomMs(windowOf(counters.windows, reason), rate.max));
}

/** The keepable limits before the first one without a slot for the run. */
function findKept(candidate: Candidate, reason: string, counters: Counters): string[] {
  if (candidate.refused !== undefined || candidate.keepable.length === 0) return [];
  const isFirst = (counters.waiting.get(reason) ?? []).every((other) => !isBefore(other, candidate));
  if (!isFirst) return [];
  const rooms = new Map(roomsOf(candidate, counters).map(({ key, room }) => [key, room]));
  const hasSlot = (key: string) => (rooms.get(key) ?? 0) > countAhead(candidate, key, counters);
  const end = candidate.keepable.findIndex((key) => key === reason || !hasSlot(key));
  return candidate.keepable.slice(0, end === -1 ? undefined : end);
}

function leaveQueue({ run_id, granted_by }: Candidate, { waiting }: Counters): void {
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

/** Releases no more runs for a limit than it has capacity: the others would only be refused again. */
function offerSlot(candidate: Candidate, counters: Counters, { offered }: Admission): void {
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
