import { sql } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";
import { LOG_START, type LogPlace, placeNow } from "./read-log.ts";

/** Holds the place of a follower for this transaction. Undefined: another instance is at it. */
export async function holdPlace(
  tx: Ctx & InTransaction,
  { name, from }: { name: string; from: "start" | "now" },
): Promise<LogPlace | undefined> {
  const start = from === "start" ? LOG_START : await placeNow(tx);
  await sql`
    insert into log_cursors (follower, after_xid, floor_at, updated_at)
    values (${name}, ${start.after_xid}::xid8, ${start.floor_at}, clock())
    on conflict do nothing`.execute(tx.db);
  const { rows } = await sql<LogPlace>`
    select after_xid::text as after_xid, floor_at::text as floor_at
    from log_cursors where follower = ${name} for update skip locked`.execute(tx.db);
  return rows[0];
}

export async function movePlace(
  tx: Ctx & InTransaction,
  name: string,
  { after_xid, floor_at }: LogPlace,
): Promise<void> {
  await sql`
    update log_cursors set after_xid = ${after_xid}::xid8, floor_at = ${floor_at}, updated_at = clock()
    where follower = ${name}`.execute(tx.db);
}
