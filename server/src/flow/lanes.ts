import type { Ctx } from "../platform/context.ts";

/** Runs queue per project and endpoint host: a lane. `rank_at` is the place of the first that became claimable. */
export type Lane = { project_id: string; host: string; rank_at: string };

export const LANES_TOPIC = "lanes";

/** Says where runs became claimable, after the commit: claimers look there, from that place in line on. */
export function wakeLanes(ctx: Ctx, lanes: readonly Lane[]): void {
  for (const { project_id, host, rank_at } of firstOfEach(lanes)) {
    ctx.wakeup.wake(LANES_TOPIC, `${project_id} ${rank_at} ${host}`);
  }
}

/** Undefined: somewhere, nobody knows where. */
export function readLane(detail: string | undefined): Lane | undefined {
  const [project_id, rank_at, host] = detail?.split(" ") ?? [];
  return project_id && rank_at && host ? { project_id, host, rank_at } : undefined;
}

export function laneKey({ project_id, host }: { project_id: string; host: string }): string {
  return `${project_id} ${host}`;
}

/** ISO times of one width compare as text. */
function firstOfEach(lanes: readonly Lane[]): Iterable<Lane> {
  const first = new Map<string, Lane>();
  for (const lane of lanes) {
    const known = first.get(laneKey(lane));
    if (!known || lane.rank_at < known.rank_at) first.set(laneKey(lane), lane);
  }
  return first.values();
}
