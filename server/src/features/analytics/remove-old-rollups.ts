import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { GRAINS, HOURS_KEPT_DAYS, MINUTES_KEPT_DAYS, SPLITS } from "./series.ts";

const PAGE = 2_000;

/** How long an error group that no longer occurs is kept. */
const GROUPS_KEPT_DAYS = 400;

/** Removes expired minutes and hours, and error groups not seen for long. Returns true if there are more. */
export async function removeOldRollups(ctx: Ctx): Promise<boolean> {
  const series = Object.entries(SPLITS).flatMap(([name, splits]) => splits.map((split) => ({ series: name, split })));
  const { rows } = await sql<{ removed: number }>`
    with old as materialized (
      select r.place from projects p
      cross join json_to_recordset(${JSON.stringify(series)}::json) as s(series text, split text)
      cross join (values (${GRAINS.minute}::int, ${MINUTES_KEPT_DAYS}::int), (${GRAINS.hour}::int, ${HOURS_KEPT_DAYS}::int))
        as g(grain, days)
      cross join lateral (
        select r.ctid as place from rollups r
        where r.project_id = p.id and r.series = s.series and r.split = s.split and r.grain = g.grain
          and r.bucket_at < clock() - g.days * interval '1 day'
        limit ${PAGE}
      ) r
      limit ${PAGE}
    ),
    removed as (
      delete from rollups r where r.ctid = any(array(select place from old)) and r.project_id is not null returning 1
    )
    select count(*)::int as removed from removed`.execute(ctx.db);
  await sql`
    delete from error_groups e where e.ctid = any(array(
      select o.ctid from error_groups o where o.last_seen_at < clock() - ${GROUPS_KEPT_DAYS} * interval '1 day' limit ${PAGE}))
      and e.project_id is not null`.execute(ctx.db);
  return (rows[0]?.removed ?? 0) >= PAGE;
}
