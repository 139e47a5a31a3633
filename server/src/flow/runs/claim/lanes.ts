import type { Ctx } from "../../../platform/context.ts";
import { collectForCommit } from "../../../platform/database/after-commit.ts";
import { sql } from "../../../platform/database/sql.ts";
import { wake } from "../../../platform/wakeups/wake.ts";

/** Runs queue per project and endpoint host: a lane. `rank_at` is the position of the first that became claimable. */
export type Lane = { project_id: string; host: string; rank_at: string };

/** `count`: how many became claimable there. Absent: unknown. */
export type CountedLane = Lane & { count?: number };

export const LANES_TOPIC = "lanes";

/**
 * After the commit, publishes the lanes in which runs became claimable: claimers read them from that position on. The
 * lanes of a transaction are counted together.
 */
export const wakeLanes = collectForCommit<Lane>((ctx, lanes) => {
  for (const { project_id, host, rank_at, count } of countEach(lanes)) {
    wake(ctx, LANES_TOPIC, `${project_id} ${rank_at} ${host} ${count}`);
  }
});

/** Undefined: the lane is not known. */
export function readLane(detail: string | undefined): CountedLane | undefined {
  const [project_id, rank_at, host, count] = detail?.split(" ") ?? [];
  if (!project_id || !rank_at || !host) return undefined;
  return { project_id, host, rank_at, ...(count && { count: Number(count) }) };
}

export function laneKey({ project_id, host }: { project_id: string; host: string }): string {
  return `${project_id} ${host}`;
}

/** Each lane once, from its first position on. ISO times of one width compare as text. */
function countEach(lanes: readonly Lane[]): Iterable<Required<CountedLane>> {
  const counted = new Map<string, Required<CountedLane>>();
  for (const { project_id, host, rank_at } of lanes) {
    const key = laneKey({ project_id, host });
    const { rank_at: first = rank_at, count = 0 } = counted.get(key) ?? {};
    counted.set(key, { project_id, host, rank_at: rank_at < first ? rank_at : first, count: count + 1 });
  }
  return counted.values();
}

/** A run is claimable. */
export const HAS_CLAIMABLE_RUNS = sql`(
  select true from run_queue q where q.lease_until is null and q.blocked_on is null and q.stopped is null
  order by q.project_id, q.host, q.rank_at limit 1)`;

/**
 * The next lanes with claimable runs after a given one: a loose scan of the claim's index that touches one entry per
 * lane, so its cost grows with lanes, not runs. A fallback for lost wake-ups.
 */
export async function findLanes(
  ctx: Ctx,
  after: { project_id: string; host: string } | undefined,
  max: number,
): Promise<Lane[]> {
  const start = after ?? { project_id: "00000000-0000-0000-0000-000000000000", host: "" };
  const { rows } = await sql<Lane>`
    /* prepared */
    with recursive lanes as (
      select n.*, 1 as nth from (
        select q.project_id, q.host, q.rank_at from run_queue q
        where q.lease_until is null and q.blocked_on is null and q.stopped is null
          and (q.project_id, q.host) > (${start.project_id}::uuid, ${start.host}::text)
        order by q.project_id, q.host, q.rank_at limit 1
      ) n
      union all
      select n.*, lanes.nth + 1 from lanes, lateral (
        select q.project_id, q.host, q.rank_at from run_queue q
        where q.lease_until is null and q.blocked_on is null and q.stopped is null
          and (q.project_id, q.host) > (lanes.project_id, lanes.host)
        order by q.project_id, q.host, q.rank_at limit 1
      ) n where lanes.nth < ${max}
    )
    select project_id, host, rank_at from lanes`.execute(ctx.db);
  return rows;
}
