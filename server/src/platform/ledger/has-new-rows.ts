import { sql } from "kysely";
import type { Ctx } from "../context.ts";
import { LOGS, type LogTable } from "./read-log.ts";

/** How old the time of a place may get while its log rests. Readers are told it as the time of what they are shown. */
const STALE_SECS = 5;

/**
 * Whether there may be something for a follower: its log has a row after its place, or the place is not there yet. One
 * look instead of a whole turn, which writes: most turns of a service that rests would find nothing.
 */
export async function hasNewRows({ db }: Ctx, name: string, log: LogTable): Promise<boolean> {
  const { rows } = await sql<{ has_new_rows: boolean }>`
    /* prepared */
    select c.updated_at < clock() - ${sql.lit(STALE_SECS)} * interval '1 second' or (
      select l.xid from ${LOGS[log]} l where l.xid > c.after_xid and l.created_at >= c.floor_at order by l.xid limit 1
    ) is not null as has_new_rows
    from log_cursors c where c.follower = ${name}`.execute(db);
  return rows[0]?.has_new_rows ?? true;
}
