import type { LaneShare } from "../flow/runs/claim/claim-runs.ts";
import { type CountedLane, laneKey } from "../flow/runs/claim/lanes.ts";

/** The result of a claim in one lane. */
type Seen = { count: number; last: string | undefined };

type KnownLane = Required<CountedLane>;

export type LaneRotation = {
  /** There may be claimable runs in this lane, from this queue position on. */
  add: (lane: CountedLane) => void;
  /**
   * Removes and returns the next lanes in rotation, each with its share of runs. `putBack` adds those with more
   * runs again.
   */
  take: (room: number, roomOfHost: (host: string) => number) => TakenLane[];
  putBack: (taken: readonly TakenLane[], seen: readonly Seen[]) => void;
  remove: (lane: { project_id: string; host: string }) => void;
  /** How many runs of a host are in the rotation, if known; otherwise a very large number. */
  waitingFor: (host: string) => number;
  /** Whether a lane of another host is in the rotation. */
  hasOther: (host: string) => boolean;
  isEmpty: () => boolean;
};

/** `expected`: the number of runs known to be queued in it, or a very large number. */
export type TakenLane = LaneShare & { expected: number };

/** The count of a lane whose number of queued runs is unknown: more than there are slots. */
export const UNKNOWN = 1_000_000;

const MAX_LANES = 64; // per claim: bounds its cost regardless of the number of projects

/**
 * The lanes that may have claimable runs, in rotation: each gets its share of the free slots and goes to the end. A
 * lane that returned less than its share is empty and leaves; a wake-up or the periodic scan brings it back. A
 * lane's bound is where its last claim ended, so claimed runs are not scanned again.
 */
export function openLaneRotation(): LaneRotation {
  const lanes = new Map<string, KnownLane>();
  /** How many runs of each host are in the rotation. */
  const perHost = new Map<string, number>();

  function add({ project_id, host, rank_at, count = UNKNOWN }: CountedLane): void {
    const key = laneKey({ project_id, host });
    const { rank_at: first = rank_at, count: before = 0 } = lanes.get(key) ?? {};
    lanes.set(key, { project_id, host, rank_at: first < rank_at ? first : rank_at, count: before + count });
    perHost.set(host, (perHost.get(host) ?? 0) + count);
  }

  function remove(lane: { project_id: string; host: string }): void {
    const known = lanes.get(laneKey(lane));
    if (!known) return;
    lanes.delete(laneKey(lane));
    const left = (perHost.get(lane.host) ?? 0) - known.count;
    if (left <= 0) perHost.delete(lane.host);
    else perHost.set(lane.host, left);
  }

  function take(room: number, roomOfHost: (host: string) => number): TakenLane[] {
    const chosen: KnownLane[] = [];
    const left = new Map<string, number>();
    for (const lane of lanes.values()) {
      if (chosen.length >= Math.min(MAX_LANES, room)) break;
      const ofHost = left.get(lane.host) ?? roomOfHost(lane.host);
      if (ofHost <= 0) continue;
      left.set(lane.host, ofHost - 1);
      chosen.push(lane);
    }
    // Computed before the lanes leave the rotation: a host's limit depends on how many hosts are in it.
    const shared = shares(chosen, room, roomOfHost);
    for (const lane of chosen) remove(lane);
    return shared;
  }

  function putBack(taken: readonly TakenLane[], seen: readonly Seen[]): void {
    taken.forEach(({ project_id, host, share, bound }, index) => {
      const found = seen[index];
      if (found && found.count >= share) add({ project_id, host, rank_at: found.last ?? bound });
    });
  }

  return {
    add,
    take,
    putBack,
    remove,
    waitingFor: (host) => perHost.get(host) ?? 0,
    hasOther: (host) => perHost.size > (perHost.has(host) ? 1 : 0),
    isEmpty: () => lanes.size === 0,
  };
}

/** Equal parts of the free slots; together no more than a host may have. */
function shares(chosen: KnownLane[], room: number, roomOfHost: (host: string) => number): TakenLane[] {
  const ofEach = Math.max(1, Math.floor(room / Math.max(1, chosen.length)));
  const lanesOfHost = new Map<string, number>();
  for (const { host } of chosen) lanesOfHost.set(host, (lanesOfHost.get(host) ?? 0) + 1);
  return chosen.map(({ project_id, host, rank_at, count }) => {
    const ofHost = Math.max(1, Math.floor(roomOfHost(host) / (lanesOfHost.get(host) ?? 1)));
    return { project_id, host, bound: rank_at, share: Math.min(ofEach, ofHost), expected: count };
  });
}
