import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";

/** Whether there are active canaries with automatic promotion. */
export async function hasAutomaticCanaries({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql`
    /* prepared */
    select project_id from canaries where status = 'active' and auto_promote_config is not null limit 1`.execute(db);
  return rows.length > 0;
}
