import type { Ctx, InTransaction } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { areRunsBusy } from "./are-runs-busy.ts";
import { lockCursor, moveCursor } from "./lock-cursor.ts";
import type { LogCursor, LogTable } from "./read-log.ts";

/** A consumer of a log over all projects, from its first row on. */
export type Consumer = {
  /** Name of its cursor; one per log that it reads. */
  name: string;
  log: LogTable;
  /**
   * Yields after each pass while many runs change, because it competes with them for the database, and catches up when
   * the load ends. Otherwise passes follow at once until it has caught up.
   */
  yieldsToRuns?: boolean;
};

type Step = (tx: Ctx & InTransaction, place: LogCursor) => Promise<{ place: LogCursor; has_more: boolean }>;

/**
 * One pass: `step` continues from the consumer's cursor, in the transaction that moves it. Returns whether another is
 * due at once.
 */
export async function consumeOnce(ctx: Ctx, consumer: Consumer, step: Step): Promise<boolean> {
  const hasMore = await moveOn(ctx, consumer, step);
  return hasMore && !(consumer.yieldsToRuns && (await areRunsBusy(ctx)));
}

function moveOn(ctx: Ctx, consumer: Consumer, step: Step): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const held = await lockCursor(tx, consumer.name);
    if (!held) return false;
    const { place, has_more } = await step(tx, held);
    await moveCursor(tx, consumer.name, place);
    return has_more;
  });
}
