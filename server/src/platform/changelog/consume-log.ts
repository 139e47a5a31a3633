import type { RawBuilder } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";
import { type Consumer, consumeOnce } from "./consume-once.ts";
import { readLog } from "./read-log.ts";

const MOST = 2_000; // rows per pass: some tens of milliseconds

type RowConsumer<T> = Consumer & {
  /** Which rows are wanted; all when absent. */
  only?: RawBuilder<unknown>;
  /** Processes the rows, in the transaction that moves the cursor: exactly once. */
  take: (tx: Ctx & InTransaction, rows: (T & { xid: string })[]) => Promise<void>;
};

/**
 * One pass of a task whose code needs each row of a log, or that needs few of them (`only`): a pass is bounded by the
 * wanted rows. If the database can aggregate or join all rows itself, use `consumeBatches`.
 */
export function consumeLog<T extends object>(ctx: Ctx, consumer: RowConsumer<T>): Promise<boolean> {
  const { only, take } = consumer;
  return consumeOnce(ctx, consumer, async (tx, place) => {
    const slice = await readLog<T>(tx, consumer.log, place, { most: MOST, ...(only && { only }) });
    if (slice.rows.length > 0) await take(tx, slice.rows);
    return slice;
  });
}
