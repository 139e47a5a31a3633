import { consumeChanges } from "../../platform/changelog/consume-changes.ts";
import { runChanges, usage } from "../../platform/changelog/log-range.ts";
import type { Ctx } from "../../platform/context.ts";
import { bookDispatches, bookReports, newBook } from "./costs-book.ts";
import { sumDispatches } from "./costs-dispatches.ts";
import { sumReports } from "./costs-reports.ts";
import { writeBook } from "./costs-write.ts";

export const COSTS_CONSUMER = "roll-up-costs";

/**
 * Changes per pass. A pass starts every two seconds under load and most runs have three, so it keeps up with three
 * thousand dispatches a second.
 */
const MOST = 18_000;

/**
 * Books the costs of dispatches and reported usage. The cursor is committed with the sums, so each change is booked
 * exactly once. Returns true if there is more.
 */
export function rollUpCosts(ctx: Ctx): Promise<boolean> {
  return consumeChanges(ctx, {
    ...{ name: COSTS_CONSUMER, yieldsToRuns: true, most: MOST },
    take: async (tx, range) => {
      const book = newBook();
      bookDispatches(book, await sumDispatches(tx, runChanges(range)));
      bookReports(book, await sumReports(tx, usage(range)));
      await writeBook(tx, book);
    },
  });
}
