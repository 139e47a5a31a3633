import type { Ctx, InTransaction } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { areRunsBusy } from "./are-runs-busy.ts";
import { holdPlace, movePlace } from "./hold-place.ts";
import type { LogPlace, LogTable } from "./read-log.ts";

/** A consumer of a log over all projects, from its first row on. */
export type Follower = {
  /** Name of its cursor; one per log that it reads. */
  name: string;
  log: LogTable;
  /**
   * It runs one pass at a time while many runs change, since its work takes time that they need, and catches up when
   * they are idle. Otherwise it keeps up with them.
   */
  isPatient?: boolean;
};

type Step = (tx: Ctx & InTransaction, place: LogPlace) => Promise<{ place: LogPlace; has_more: boolean }>;

/**
 * One pass: `step` continues from the consumer's cursor, in the transaction that moves it. Returns whether another is
 * due at once.
 */
export async function takeTurn(ctx: Ctx, follower: Follower, step: Step): Promise<boolean> {
  const hasMore = await moveOn(ctx, follower, step);
  return hasMore && !(follower.isPatient && (await areRunsBusy(ctx)));
}

function moveOn(ctx: Ctx, follower: Follower, step: Step): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const held = await holdPlace(tx, follower.name);
    if (!held) return false;
    const { place, has_more } = await step(tx, held);
    await movePlace(tx, follower.name, place);
    return has_more;
  });
}
