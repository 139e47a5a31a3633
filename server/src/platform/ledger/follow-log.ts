import type { RawBuilder } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";
import { readLog } from "./read-log.ts";
import { type Follower, takeTurn } from "./take-turn.ts";

const MOST = 2_000; // rows a turn: some tens of milliseconds

type RowFollower<T> = Follower & {
  /** Which rows it wants; all when absent. */
  only?: RawBuilder<unknown>;
  /** What it makes of the rows, in the transaction that moves its cursor: exactly once. */
  take: (tx: Ctx & InTransaction, rows: (T & { xid: string })[]) => Promise<void>;
};

/**
 * One turn of a task whose code sees each row of a log, or that wants few of them (`only`): a turn is bounded by those that
 * are wanted. Where the database can sum up or join all of them where they lie, use `followStretches`.
 */
export function followLog<T extends object>(ctx: Ctx, follower: RowFollower<T>): Promise<boolean> {
  const { only, take } = follower;
  return takeTurn(ctx, follower, async (tx, place) => {
    const slice = await readLog<T>(tx, follower.log, place, { most: MOST, ...(only && { only }) });
    if (slice.rows.length > 0) await take(tx, slice.rows);
    return slice;
  });
}
