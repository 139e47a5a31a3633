import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

const PAGE = 500;

/** Deletes deliveries older than DELIVERY_RETENTION with their attempts, a small page at a time. Pending ones stay. */
export async function removeOldDeliveries(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql`
    delete from webhook_deliveries d using (
      select p.id as project_id, d.id from projects p, lateral (
        select d.id from webhook_deliveries d
        where d.project_id = p.id and d.status <> 'pending'
          and d.created_at < clock() - ${ctx.config.delivery_retention_secs} * interval '1 second'
        order by d.created_at, d.id limit ${PAGE}
      ) d limit ${PAGE}
    ) old
    where d.project_id = old.project_id and d.id = old.id and d.status <> 'pending'
    returning 1`.execute(ctx.db);
  return rows.length === PAGE;
}
