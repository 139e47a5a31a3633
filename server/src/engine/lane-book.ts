import type { LaneShare } from "../flow/claim-runs.ts";
import { type CountedLane, laneKey } from "../flow/lanes.ts";

/** What a claim found in a lane it asked. */
type Seen = { count: number; last: string | undefined };

type KnownLane = Required<CountedLane>;

export type LaneBook = {
  /** There may be claimable runs in this lane, from this place in line on. */
  add: (lane: CountedLane) => void;
  /** The next lanes in turn and how many runs each may have; they are out of the book until `note` puts them back. */
  take: (room: number, roomOfHost: (host: string) => number) => AskedLane[];
  note: (asked: readonly AskedLane[], seen: readonly Seen[]) => void;
  remove: (lane: { project_id: string; host: string }) => void;
  /** How many runs of a host stand in the book, as far as is known; very many when it is not. */
  waitingFor: (host: string) => number;
  /** Some lane of another host is in the book. */
  hasOther: (host: string) => boolean;
  isEmpty: () => boolean;
};

/** `expected`: as many as are known to wait in it, or very many. */
export type AskedLane = LaneShare & { expected: number };

/** More than there are slots. */
export const UNKNOWN = 1_000_000;

const MOST_LANES = 64; // of one claim: its cost is bounded whatever the number of projects

/**
 * The lanes that may have runs to claim, in turn: each is asked for its share of the free slots and goes to the end.
 * A lane that gave less than its share is empty and leaves; a wake-up or the regular look brings it back. Its bound is
 * where the last claim ended, so what was claimed is not walked over again.
 */
export function openLaneBook(): LaneBook {
  const lanes = new Map<string, KnownLane>();
  /** How many runs of each host stand in the book. */
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

  function take(room: number, roomOfHost: (host: string) => number): AskedLane[] {
    const chosen: KnownLane[] = [];
    const left = new Map<string, number>();
    for (const lane of lanes.values()) {
      if (chosen.length >= Math.min(MOST_LANES, room)) break;
      const ofHost = left.get(lane.host) ?? roomOfHost(lane.host);
      if (ofHost <= 0) continue;
      left.set(lane.host, ofHost - 1);
      chosen.push(lane);
    }
    // Before they leave the book: it is asked how many hosts there are.
    const shared = shares(chosen, room, roomOfHost);
    for (const lane of chosen) remove(lane);
    return shared;
  }

  function note(asked: readonly AskedLane[], seen: readonly Seen[]): void {
    asked.forEach(({ project_id, host, share, bound }, index) => {
      const found = seen[index];
      if (found && found.count >= share) add({ project_id, host, rank_at: found.last ?? bound });
    });
  }

  return {
    add,
    take,
    note,
    remove,
    waitingFor: (host) => perHost.get(host) ?? 0,
    hasOther: (host) => perHost.size > (perHost.has(host) ? 1 : 0),
    isEmpty: () => lanes.size === 0,
  };
}

/** Equal parts of the room; of one host together no more than it may have. */
function shares(chosen: KnownLane[], room: number, roomOfHost: (host: string) => number): AskedLane[] {
  const ofEach = Math.max(1, Math.floor(room / Math.max(1, chosen.length)));
  const lanesOfHost = new Map<string, number>();
  for (const { host } of chosen) lanesOfHost.set(host, (lanesOfHost.get(host) ?? 0) + 1);
  return chosen.map(({ project_id, host, rank_at, count }) => {
    const ofHost = Math.max(1, Math.floor(roomOfHost(host) / (lanesOfHost.get(host) ?? 1)));
    return { project_id, host, bound: rank_at, share: Math.min(ofEach, ofHost), expected: count };
  });
}
