import type { Ctx, InTransaction } from "../context.ts";
import { unavailable } from "../errors.ts";
import { isConnectionLoss, isPoolExhausted, isWorthRepeating } from "./database-errors.ts";

const MAX_TRIES = 4;

/**
 * Runs `work` in one transaction, and retries it after a deadlock, a serialization failure or a connection lost before
 * the commit was sent. A commit whose response is lost is not retried: the caller gets 503 and repeats the request. Nor
 * is work retried while the database is unreachable or has no free connection: the caller has got an error already, or
 * has waited long enough. `work` may run more than once, so it must change nothing but the database.
 */
export async function inTransaction<C extends Ctx, T>(
  ctx: C,
  work: (ctx: C & InTransaction) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await runOnce(ctx, work);
    } catch (error) {
      const repeat = isWorthRepeating(error) || (isConnectionLoss(error) && !isPoolExhausted(error));
      if (!repeat || tries === MAX_TRIES || !ctx.watch.isUp()) throw error;
      await pause(tries);
    }
  }
}

async function runOnce<C extends Ctx, T>(ctx: C, work: (ctx: C & InTransaction) => Promise<T>): Promise<T> {
  const trx = await ctx.db.startTransaction().execute();
  let result: T;
  try {
    result = await work({ ...ctx, db: trx, in_transaction: true });
  } catch (error) {
    await trx.rollback().execute().catch(ignoreDeadConnection);
    throw error;
  }
  try {
    await trx.commit().execute();
  } catch (error) {
    // A failed commit keeps its connection; a rollback returns it to the pool.
    await trx.rollback().execute().catch(ignoreDeadConnection);
    if (!isConnectionLoss(error)) throw error;
    throw unavailable(
      "The connection to the database was lost during the commit. Check whether the change was saved before you send it again.",
      error,
    );
  }
  return result;
}

/** A broken connection has rolled back by itself. */
function ignoreDeadConnection(error: unknown): void {
  if (!isConnectionLoss(error)) throw error;
}

function pause(tries: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10 * 2 ** tries * (0.5 + Math.random())));
}
