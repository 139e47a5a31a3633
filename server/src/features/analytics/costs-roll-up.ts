import { followStretches } from "../../platform/changelog/follow-stretches.ts";
import { isWithin, type LogStretch } from "../../platform/changelog/next-stretch.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { bookDispatches, bookReports, newBook } from "./costs-book.ts";
import { sumDispatches } from "./costs-dispatches.ts";
import { sumReports } from "./costs-reports.ts";
import { writeBook } from "./costs-write.ts";

export const DISPATCHES_FOLLOWER = "roll-up-costs/dispatches";
export const USAGE_FOLLOWER = "roll-up-costs/usage";

/**
 * Moves of a turn. There is one every two seconds while many runs move, and most runs move three times: it keeps up with
 * three thousand dispatches a second.
 */
const MOST = 18_000;

/**
 * Books what dispatches and reported usage have cost. Both are followed in the order of their transactions, and the
 * place moves with the sums: each is booked exactly once. True: there is more.
 */
export async function rollUpCosts(ctx: Ctx): Promise<boolean> {
  const isMoreEnded = await followStretches(ctx, {
    ...{ name: DISPATCHES_FOLLOWER, log: "run_transitions", isPatient: true, most: MOST },
    take: takeDispatches,
  });
  const isMoreUsed = await followStretches(ctx, {
    ...{ name: USAGE_FOLLOWER, log: "run_usage", isPatient: true, most: MOST },
    take: takeReports,
  });
  return isMoreEnded || isMoreUsed;
}

async function takeDispatches(tx: Ctx & InTransaction, stretch: LogStretch): Promise<void> {
  const book = newBook();
  bookDispatches(book, await sumDispatches(tx, isWithin(stretch)));
  await writeBook(tx, book);
}

async function takeReports(tx: Ctx & InTransaction, stretch: LogStretch): Promise<void> {
  const book = newBook();
  bookReports(book, await sumReports(tx, isWithin(stretch)));
  await writeBook(tx, book);
}
