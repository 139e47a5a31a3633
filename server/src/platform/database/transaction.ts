import type { Ctx, InTransaction } from "../context.ts";
import { type ApiError, unavailable } from "../errors/errors.ts";
import { logFailure } from "../logging/log-failure.ts";
import { isConnectionLoss, isPoolExhausted, isRetryable } from "./database-errors.ts";

const MAX_TRIES = 4;

/**
 * Runs `work` in one transaction, and retries it after a deadlock, a serialization failure or a connection lost before
 * the commit was sent. A commit whose response is lost is not retried: the caller gets 503 and repeats the request. Nor
 * is work retried while the database is unreachable or has no free connection: the caller has got an error already, or
 * has waited long enough. `work` may run more than once, so it must change nothing but the database: it registers
 * everything else with `afterCommit`. After a lost commit `afterRollback` runs, since no response confirmed it.
 */
export async function inTransaction<C extends Ctx, T>(
  ctx: C,
  work: (ctx: C & InTransaction) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await runOnce(ctx, work);
    } catch (error) {
      const repeat = isRetryable(error) || (isConnectionLoss(error) && !isPoolExhausted(error));
      if (!repeat || tries === MAX_TRIES || !ctx.watch.isUp()) throw error;
      await pause(tries);
    }
  }
}

type Callback = (ctx: Ctx) => void;

async function runOnce<C extends Ctx, T>(ctx: C, work: (ctx: C & InTransaction) => Promise<T>): Promise<T> {
  const trx = await ctx.db.begin();
  const onCommit: Callback[] = [];
  const onRollback: Callback[] = [];
  let committing: Promise<void> | undefined;
  const commit = (unlocksEarly = false) => {
    committing ??= trx.commit({ unlocksEarly });
    committing.catch(() => {}); // the error of the statement that failed is thrown first
    return committing;
  };
  const added = {
    db: trx,
    in_transaction: true,
    afterCommit: (fn: Callback) => void onCommit.push(fn),
    afterRollback: (fn: Callback) => void onRollback.push(fn),
    commitNow: () => void commit(true),
  };
  let result: T;
  try {
    // The type hides what must wait for the commit.
    result = await work({ ...ctx, ...added } as unknown as C & InTransaction);
    await commit();
  } catch (error) {
    // The work failed after the commit that it had sent: what it changed is there, and its connection has been returned.
    if (await isCommitted(committing)) {
      runAll(ctx, onCommit);
      throw error;
    }
    runAll(ctx, onRollback);
    // Also after a failed commit, which keeps its connection: a rollback returns it to the pool.
    await trx.rollback().catch(ignoreDeadConnection);
    throw committing && isConnectionLoss(error) ? lostAtCommit(error) : error;
  }
  runAll(ctx, onCommit);
  return result;
}

function isCommitted(committing: Promise<void> | undefined): Promise<boolean> {
  return committing?.then(() => true).catch(() => false) ?? Promise.resolve(false);
}

/** The transaction has ended, so a failure changes neither its result nor what else follows it. */
function runAll(ctx: Ctx, callbacks: readonly Callback[]): void {
  for (const callback of callbacks) {
    try {
      callback(ctx);
    } catch (error) {
      logFailure(ctx, error, {}, "an afterCommit or afterRollback callback failed");
    }
  }
}

function lostAtCommit(error: unknown): ApiError {
  return unavailable(
    "The connection to the database was lost during the commit. Check whether the change was saved before you send it again.",
    error,
  );
}

/** A broken connection has rolled back by itself. */
function ignoreDeadConnection(error: unknown): void {
  if (!isConnectionLoss(error)) throw error;
}

function pause(tries: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10 * 2 ** tries * (0.5 + Math.random())));
}
