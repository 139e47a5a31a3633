import { sql } from "kysely";
import type { Ctx } from "../context.ts";
import { LOGS, type LogTable } from "./read-log.ts";

/** How old `updated_at` of a cursor may get while its log is idle. Analytics return it as the time of their data. */
const STALE_SECS = 5;

/**
 * Whether there may be rows for a consumer: its log has a row after its cursor, or the cursor does not exist yet. One
 * read instead of a whole pass, which writes: most passes of an idle service would find nothing.
 */
export async function hasNewRows({ db }: Ctx, name: string, log: LogTable): Promise<boolean> {
  const { rows } = await sql<{ has_new_rows: boolean }>`
    /* prepared */
    select c.updated_at < clock() - ${sql.lit(STALE_SECS)} * interval '1 second' or (
      select l.xid from ${LOGS[log]} l where l.xid > c.after_xid and l.created_at >= c.floor_at order by l.xid limit 1
    ) is not null as has_new_rows
    from log_cursors c where c.consumer = ${name}`.execute(db);
  return rows[0]?.has_new_rows ?? true;
}
