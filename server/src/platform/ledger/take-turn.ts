import type { Ctx, InTransaction } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { areRunsBusy } from "./are-runs-busy.ts";
import { holdPlace, movePlace } from "./hold-place.ts";
import type { LogPlace, LogTable } from "./read-log.ts";

/** Who follows a log over all projects, from its first row on. */
export type Follower = {
  /** Of its cursor; one for each log that it follows. */
  name: string;
  log: LogTable;
  /**
   * It takes one turn at a time while many runs move, since what it does costs time that they need, and catches up once they
   * rest. Otherwise it keeps up with them.
   */
  isPatient?: boolean;
};

type Step = (tx: Ctx & InTransaction, place: LogPlace) => Promise<{ place: LogPlace; has_more: boolean }>;

/** One turn: `step` goes on from the follower's place, in the transaction that moves it. Answers whether another is due at once. */
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
