import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";

/** Whether any run was not started within its job's `run_ttl_secs`. */
export async function hasExpiredRuns({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql`
    /* prepared */
    select project_id from run_queue where expires_at is not null and lease_until is null and stopped is null
      and expires_at <= clock()
    order by expires_at limit 1`.execute(db);
  return rows.length > 0;
}
