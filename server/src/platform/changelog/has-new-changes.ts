import { type Sql, sql } from "../database/sql.ts";

/**
 * An SQL condition: there may be changes for a consumer. The inbox has some, the log has some after its cursor, or the
 * cursor does not exist yet.
 */
export function hasNewChanges(name: string): Sql {
  return sql`coalesce((
    select c.position < h.position or exists (select 1 from changelog_inbox i where i.id > h.scan_after)
    from log_cursors c, changelog_head h where c.consumer = ${sql.lit(name)}), true)`;
}
