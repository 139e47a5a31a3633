import { consumeBatches } from "../../platform/changelog/consume-batches.ts";
import { isWithin, type LogBatch } from "../../platform/changelog/next-batch.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { bookDispatches, bookReports, newBook } from "./costs-book.ts";
import { sumDispatches } from "./costs-dispatches.ts";
import { sumReports } from "./costs-reports.ts";
import { writeBook } from "./costs-write.ts";

export const DISPATCHES_CONSUMER = "roll-up-costs/dispatches";
export const USAGE_CONSUMER = "roll-up-costs/usage";

/**
 * Transitions per pass. A pass starts every two seconds under load and most runs have three transitions, so it keeps up
 * with three thousand dispatches a second.
 */
const MOST = 18_000;

/**
 * Books the costs of dispatches and reported usage. Both logs are read in the order of their transactions and the
 * cursor is committed with the sums, so each row is booked exactly once. Returns true if there is more.
 */
export async function rollUpCosts(ctx: Ctx): Promise<boolean> {
  const isMoreEnded = await consumeBatches(ctx, {
    ...{ name: DISPATCHES_CONSUMER, log: "run_transitions", yieldsToRuns: true, most: MOST },
    take: takeDispatches,
  });
  const isMoreUsed = await consumeBatches(ctx, {
    ...{ name: USAGE_CONSUMER, log: "run_usage", yieldsToRuns: true, most: MOST },
    take: takeReports,
  });
  return isMoreEnded || isMoreUsed;
}

async function takeDispatches(tx: Ctx & InTransaction, batch: LogBatch): Promise<void> {
  const book = newBook();
  bookDispatches(book, await sumDispatches(tx, isWithin(batch)));
  await writeBook(tx, book);
}

async function takeReports(tx: Ctx & InTransaction, batch: LogBatch): Promise<void> {
  const book = newBook();
  bookReports(book, await sumReports(tx, isWithin(batch)));
  await writeBook(tx, book);
}
