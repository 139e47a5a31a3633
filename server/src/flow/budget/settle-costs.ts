import { consumeChanges } from "../../platform/changelog/consume-changes.ts";
import type { LogRange } from "../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { admitBlocked } from "./admit-blocked.ts";
import { bookMoves } from "./book-moves.ts";
import { lockBudgets } from "./lock-budgets.ts";
import { raiseThresholds } from "./raise-thresholds.ts";
import { returnReservations } from "./return-reservations.ts";

/** Transitions per pass, of which there are two a second: some tenths of a second if all of them end dispatches. */
const MOST = 12_000;

/**
 * One pass of the task that books the cost of runs, each dispatch once. The same transaction releases the dispatch's
 * reservation: until then it is held, so a run is admitted a little late, and never beyond the budget. It consumes the
 * log, and so adds no cost to starting and ending runs.
 */
export async function settleCosts(ctx: Ctx): Promise<boolean> {
  let blocking: string[] = [];
  const hasMore = await consumeChanges(ctx, {
    ...{ name: "settle-costs", most: MOST },
    take: async (tx, range) => {
      blocking = await settle(tx, range);
    },
  });
  for (const project_id of blocking) await admitBlocked(ctx, project_id);
  // Transitions that a budget waits for are booked as fast as possible, all others when there is time.
  return hasMore && blocking.length > 0;
}

/**
 * Usage first, then budgets: setting a budget takes the locks in the same order. Returns the projects whose budgets may
 * have room.
 */
async function settle(tx: Ctx & InTransaction, range: LogRange): Promise<string[]> {
  const projects = await bookMoves(tx, range);
  const ids = [...(await lockBudgets(tx, projects)).keys()];
  if (ids.length === 0) return [];
  await returnReservations(tx, ids, range);
  const budgets = [...(await lockBudgets(tx, ids)).values()];
  for (const budget of budgets) await raiseThresholds(tx, budget);
  return budgets.filter(({ action }) => action === "block").map((each) => each.project_id);
}
