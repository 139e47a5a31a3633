import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

/** A counter that was not touched for two minutes counts nothing. */
export async function deleteIdleCounters(ctx: Ctx, most: number): Promise<number> {
  const { rows } = await sql`
    delete from ip_counters where (limit_name, client) in (
      select limit_name, client from ip_counters
      where last_second < extract(epoch from clock()) - 120 limit ${most} for update skip locked)
    returning 1`.execute(ctx.db);
  return rows.length;
}
