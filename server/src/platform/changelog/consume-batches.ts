import type { Ctx, InTransaction } from "../context.ts";
import { type Consumer, consumeOnce } from "./consume-once.ts";
import { type LogBatch, nextBatch } from "./next-batch.ts";

type BatchConsumer = Consumer & {
  /** About how many rows of the log a pass covers: some tenths of a second in the database at most. */
  most: number;
  /** Processes the range, in the transaction that moves the cursor: exactly once. */
  take: (tx: Ctx & InTransaction, batch: LogBatch) => Promise<void>;
};

/**
 * One pass of a task that lets the database aggregate or join the rows of a log: a pass is bounded by all rows, wanted
 * or not, and none are sent to the service. If code needs each row, or only few are wanted, use `consumeLog`.
 */
export function consumeBatches(ctx: Ctx, consumer: BatchConsumer): Promise<boolean> {
  return consumeOnce(ctx, consumer, async (tx, place) => {
    const next = await nextBatch(tx, consumer.log, place, consumer.most);
    if (next.batch) await consumer.take(tx, next.batch);
    return next;
  });
}
