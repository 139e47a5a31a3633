import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";

/** The consumer has not read everything that was recounted: the recount proves nothing, and is rolled back. */
class Unread extends Error {}

/**
 * After a recount, with the consumer's cursor locked: everything the recount saw is visible here as well, so if none of
 * it is unread, the consumer has counted all of it.
 */
export async function refuseUnread(tx: Ctx & InTransaction, unread: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ is_unread: boolean }>`select exists (${unread}) as is_unread`.execute(tx.db);
  if (rows[0]?.is_unread) throw new Unread();
}

export function noneIfUnread(error: unknown): number {
  if (error instanceof Unread) return 0;
  throw error;
}
