import type { Ctx } from "../../../platform/context.ts";
import { isLockTimeout } from "../../../platform/database/database-errors.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { perService } from "../../../platform/service-state.ts";
import { enqueueRuns } from "./enqueue-runs.ts";
import type { Enqueued, NewRun, Starts } from "./new-run.ts";
import { isWithoutSlots, lockNewSlots, type NewSlots, takeSlotsOfCreated } from "./new-slots.ts";

/**
 * Creates runs of which some need slots of a limit to start on this instance. These take them in the same transaction,
 * under the locks of the counters, or are created blocked on it. Every trigger and every end of a run waits for these
 * locks until the commit, so they are taken last; if there are no slots, once more with the locks first.
 */
export async function enqueueWithSlots(
  ctx: Ctx,
  newRuns: readonly NewRun[],
  starts: Starts,
  needed: readonly NewSlots[],
): Promise<Enqueued> {
  try {
    if (lacksOf(ctx).include(needed)) return await lockThenEnqueue(ctx, newRuns, starts, needed);
    return await enqueueThenTake(ctx, newRuns, starts, needed).catch((error) => {
      if (!isWithoutSlots(error)) throw error;
      lacksOf(ctx).add(needed);
      return lockThenEnqueue(ctx, newRuns, starts, needed);
    });
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return enqueueWithout(ctx, newRuns, starts);
  }
}

function enqueueThenTake(
  ctx: Ctx,
  newRuns: readonly NewRun[],
  starts: Starts,
  needed: readonly NewSlots[],
): Promise<Enqueued> {
  return inTransaction(ctx, async (tx) => {
    const creating = Promise.all([
      enqueueRuns(tx, newRuns, { ...starts, slots: "later" }),
      lockNewSlots(tx, needed),
      takeSlotsOfCreated(tx, needed),
    ]);
    tx.commitNow();
    const [enqueued] = await creating;
    return enqueued;
  });
}

function lockThenEnqueue(
  ctx: Ctx,
  newRuns: readonly NewRun[],
  starts: Starts,
  needed: readonly NewSlots[],
): Promise<Enqueued> {
  return inTransaction(ctx, async (tx) => {
    // Pipelined: the second runs when the locks are held, and sees what was committed by then.
    const creating = Promise.all([lockNewSlots(tx, needed), enqueueRuns(tx, newRuns, { ...starts, slots: "locked" })]);
    tx.commitNow();
    const [, enqueued] = await creating;
    return enqueued;
  });
}

/** Those that need no slots start, the others queue. */
function enqueueWithout(ctx: Ctx, newRuns: readonly NewRun[], starts: Starts): Promise<Enqueued> {
  const free = newRuns.filter((run) => run.sole_max_concurrency === null && starts.ids.has(run.id));
  return enqueueRuns(ctx, newRuns, { ...starts, ids: new Set(free.map((run) => run.id)) });
}

/** How long runs of a limit that had no slots lock its counter first: a second try for each of them costs more. */
const LACK_MS = 1_000;
const MAX_LACKS = 10_000;

/** The limits that had no slots for a new run lately. */
const lacksOf = perService(() => {
  const untilMs = new Map<string, number>();
  return {
    include: (needed: readonly NewSlots[]) =>
      needed.some(({ key }) => (untilMs.get(key) ?? Number.NEGATIVE_INFINITY) > performance.now()),
    add: (needed: readonly NewSlots[]) => {
      if (untilMs.size >= MAX_LACKS) untilMs.clear();
      for (const { key } of needed) untilMs.set(key, performance.now() + LACK_MS);
    },
  };
});
