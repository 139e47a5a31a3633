import type { RawBuilder } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { areRunsBusy } from "./are-runs-busy.ts";
import { holdPlace, movePlace } from "./hold-place.ts";
import { type LogReading, type LogTable, readLog } from "./read-log.ts";

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
   * It takes one turn at a time while many runs move, since what it does costs time that they need, and catches up once they
   * rest. Otherwise it keeps up with them.
   */
  isPatient?: boolean;
  /** What it makes of the rows, in the transaction that moves its cursor: exactly once. */
  take: (tx: Ctx & InTransaction, rows: (T & { xid: string })[]) => Promise<void>;
};

/** One turn of a duty that follows a log over all projects. Answers whether there is more to read at once. */
export async function followLog<T extends object>(ctx: Ctx, follower: Follower<T>): Promise<boolean> {
  const hasMore = await takeTurn(ctx, follower);
  return hasMore && !(follower.isPatient && (await areRunsBusy(ctx)));
}

function takeTurn<T extends object>(ctx: Ctx, follower: Follower<T>): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const place = await holdPlace(tx, follower);
    if (!place) return false;
    const slice = await readLog<T>(tx, follower.log, place, readingOf(follower));
    if (slice.rows.length > 0) await follower.take(tx, slice.rows);
    await movePlace(tx, follower.name, slice.place);
    return slice.has_more;
  });
}

function readingOf<T>({ only }: Follower<T>): LogReading {
  return { most: MOST, ...(only && { only }) };
}
