import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";

/** Whether any wait is due. */
export async function hasDueTriggers({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql`
    /* prepared */
    select project_id from event_triggers where status = 'waiting' and expires_at <= clock()
    order by expires_at limit 1`.execute(db);
  return rows.length > 0;
}
