import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

const PAGE = 2_000;

/** How long the finer sums are kept. Days are kept forever. */
export const COSTS_KEPT = { minutes_days: 8, hours_days: 100 } as const;

/** Removes expired sums of minutes and hours. Returns true if there are more. */
export async function removeOldCosts(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql<{ removed: number }>`
    with old as materialized (
      select p.id as project_id, c.place from projects p
      cross join (values ('1m', ${COSTS_KEPT.minutes_days}::int), ('1h', ${COSTS_KEPT.hours_days}::int)) as g(grain, days)
      cross join lateral (
        select c.ctid as place from cost_rollups c
        where c.project_id = p.id and c.kind = 'job' and c.grain = g.grain
          and c.starts_at < clock() - g.days * interval '1 day'
        limit ${PAGE}
      ) c
      limit ${PAGE}
    ),
    removed as (
      delete from cost_rollups c where c.ctid = any(array(select place from old)) and c.project_id is not null returning 1
    )
    select count(*)::int as removed from removed`.execute(ctx.db);
  return (rows[0]?.removed ?? 0) >= PAGE;
}
