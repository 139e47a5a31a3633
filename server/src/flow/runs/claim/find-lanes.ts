import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import type { Lane } from "./lanes.ts";

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
