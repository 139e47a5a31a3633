import { sql } from "kysely";
import type { Ctx } from "../context.ts";

/** How old `updated_at` of a cursor may get while the log is idle. Analytics return it as the time of their data. */
const STALE_SECS = 5;

/**
 * Whether there may be changes for a consumer: the inbox has some, the log has some after its cursor, or the cursor
 * does not exist yet. One read instead of a whole pass, which writes: most passes of an idle service find nothing.
 */
export async function hasNewChanges({ db }: Ctx, name: string): Promise<boolean> {
  const { rows } = await sql<{ has_changes: boolean }>`
    /* prepared */
    select c.updated_at < clock() - ${sql.lit(STALE_SECS)} * interval '1 second' or c.position < h.position
      or exists (select 1 from changelog_inbox i where i.id > h.scan_after) as has_changes
    from log_cursors c, changelog_head h where c.consumer = ${name}`.execute(db);
  return rows[0]?.has_changes ?? true;
}
