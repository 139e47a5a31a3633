import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { LOG_START, type LogPlace, type LogReading, type LogTable, placeNow, readLog } from "./read-log.ts";

const MOST = 2_000; // rows a turn: some tens of milliseconds

export type Follower<T> = {
  /** Of its cursor; one for each log that it follows. */
  name: string;
  log: LogTable;
  /** Where a follower begins that was not there before. */
  from: "start" | "now";
  /** Which rows it wants; all when absent. */
  only?: RawBuilder<unknown>;
  /**
   * It takes one turn at a time while runs move, since what it does costs time that they need, and catches up once they
   * rest. Otherwise it keeps up with them.
   */
  isPatient?: boolean;
  /** What it makes of the rows, in the transaction that moves its cursor: exactly once. */
  take: (tx: Ctx & InTransaction, rows: (T & { xid: string })[]) => Promise<void>;
};

/** One turn of a duty that follows a log over all projects. Answers whether there is more to read at once. */
export async function followLog<T extends object>(ctx: Ctx, follower: Follower<T>): Promise<boolean> {
  const hasMore = await takeTurn(ctx, follower);
  return hasMore && !(follower.isPatient && (await doRunsMove(ctx)));
}

function takeTurn<T extends object>(ctx: Ctx, follower: Follower<T>): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const place = await lockPlace(tx, follower);
    if (!place) return false;
    const slice = await readLog<T>(tx, follower.log, place, readingOf(follower));
    if (slice.rows.length > 0) await follower.take(tx, slice.rows);
    await sql`
      update log_cursors
      set after_xid = ${slice.place.after_xid}::xid8, floor_at = ${slice.place.floor_at}, updated_at = clock()
      where follower = ${follower.name}`.execute(tx.db);
    return slice.has_more;
  });
}

/** The newest of the log, by its order, tells. */
async function doRunsMove({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql<{ is_young: boolean }>`
    select t.created_at > clock() - interval '2 seconds' as is_young
    from run_transitions t order by t.xid desc limit 1`.execute(db);
  return rows[0]?.is_young ?? false;
}

function readingOf<T>({ only }: Follower<T>): LogReading {
  return { most: MOST, ...(only && { only }) };
}

/** Undefined: another instance is at it. */
async function lockPlace<T>(tx: Ctx & InTransaction, { name, from }: Follower<T>): Promise<LogPlace | undefined> {
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
