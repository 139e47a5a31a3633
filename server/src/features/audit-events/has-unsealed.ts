import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

/** Whether any event has no number in its chain yet. */
export async function hasUnsealed({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql`
    /* prepared */
    select project_id from audit_events where chain_no is null order by created_at, id limit 1`.execute(db);
  return rows.length > 0;
}
