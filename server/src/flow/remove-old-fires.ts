import { sql } from "kysely";
import type { Ctx } from "../platform/context.ts";

const PAGE = 5_000;

/** The record of fired times is kept as long as the runs they started. */
export async function removeOldFires(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql`
    with old as materialized (
      select project_id, schedule_id, scheduled_for from schedule_fires
      where created_at < clock() - ${ctx.config.run_retention_secs} * interval '1 second'
      order by created_at limit ${PAGE} for update skip locked
    )
    delete from schedule_fires f using old
    where f.project_id = old.project_id and f.schedule_id = old.schedule_id and f.scheduled_for = old.scheduled_for
    returning 1`.execute(ctx.db);
  return rows.length === PAGE;
}
