import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

/** Deliveries queue per project and receiving host. */
export type Lane = { project_id: string; host: string };

type WalkedLane = Lane & { is_due: boolean };

/** Sorts before every lane: no project has this id. */
const FIRST: Lane = { project_id: "00000000-0000-0000-0000-000000000000", host: "" };

/**
 * Returns which of the next lanes after a given one have due deliveries. A loose index scan touches one entry per lane,
 * so the cost depends on the number of lanes, not on how many deliveries pile up for one receiver. `next` is the
 * cursor.
 */
export async function findDueLanes(
  ctx: Ctx,
  after: Lane | undefined,
  most: number,
): Promise<{ due: Lane[]; next: Lane | undefined }> {
  const { project_id, host } = after ?? FIRST;
  const { rows } = await sql<WalkedLane>`
    /* prepared */
    with recursive lanes as (
      select n.*, 1 as nth from (
        select d.project_id, d.host, d.next_attempt_at from webhook_deliveries d
        where d.status = 'pending' and (d.project_id, d.host) > (${project_id}::uuid, ${host}::text)
        order by d.project_id, d.host, d.next_attempt_at limit 1
      ) n
      union all
      select n.*, lanes.nth + 1 from lanes, lateral (
        select d.project_id, d.host, d.next_attempt_at from webhook_deliveries d
        where d.status = 'pending' and (d.project_id, d.host) > (lanes.project_id, lanes.host)
        order by d.project_id, d.host, d.next_attempt_at limit 1
      ) n where lanes.nth < ${most}
    )
    select project_id, host, next_attempt_at <= clock() as is_due from lanes order by nth`.execute(ctx.db);
  const due = rows.filter((lane) => lane.is_due);
  return { due, next: rows.length === most ? rows.at(-1) : undefined };
}
