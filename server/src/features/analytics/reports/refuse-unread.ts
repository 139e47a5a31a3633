import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";

/**
 * The consumer has not read everything that was recounted, or some was removed: the recount proves nothing, and is
 * rolled back.
 */
class Unread extends Error {}

/**
 * After a recount, with the consumer's cursor locked: everything the recount saw is visible here as well, so if none of
 * it is unread, the consumer has counted all of it.
 */
export async function refuseUnread(tx: Ctx & InTransaction, unread: Sql): Promise<void> {
  const { rows } = await sql<{ is_unread: boolean }>`select exists (${unread}) as is_unread`.execute(tx.db);
  if (rows[0]?.is_unread) throw new Unread();
}

export function noneIfUnread(error: unknown): number {
  if (error instanceof Unread) return 0;
  throw error;
}

/**
 * One row if runs of the project that ended at a time or later were removed, and with them the transitions derived from
 * them. Read after the recount: a removal that the recount has seen is visible.
 */
export function removedSince(project_id: string, time: Sql): Sql {
  return sql`select 1 from removed_runs m where m.project_id = ${project_id} and m.ended_before > ${time}`;
}
