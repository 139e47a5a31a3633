import { sql } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";
import { LOG_START, type LogCursor } from "./read-log.ts";

/** Locks the cursor of a consumer for this transaction. Undefined: another instance has it. */
export async function lockCursor(tx: Ctx & InTransaction, name: string): Promise<LogCursor | undefined> {
  const held = await lockPlace(tx, name);
  if (held) return held;
  await sql`
    insert into log_cursors (consumer, after_xid, floor_at, updated_at)
    values (${name}, ${LOG_START.after_xid}::xid8, ${LOG_START.floor_at}, clock())
    on conflict do nothing`.execute(tx.db);
  return lockPlace(tx, name);
}

async function lockPlace(tx: Ctx & InTransaction, name: string): Promise<LogCursor | undefined> {
  const { rows } = await sql<LogCursor>`
    /* prepared */
    select after_xid::text as after_xid, floor_at::text as floor_at
    from log_cursors where consumer = ${name} for update skip locked`.execute(tx.db);
  return rows[0];
}

export async function moveCursor(
  tx: Ctx & InTransaction,
  name: string,
  { after_xid, floor_at }: LogCursor,
): Promise<void> {
  await sql`
    /* prepared */
    update log_cursors set after_xid = ${after_xid}::xid8, floor_at = ${floor_at}, updated_at = clock()
    where consumer = ${name}`.execute(tx.db);
}
