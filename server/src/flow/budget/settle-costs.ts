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
  let settled: Settled = { blocking: [], hasNotified: false };
  const hasMore = await consumeChanges(ctx, {
    ...{ name: "settle-costs", most: MOST },
    take: async (tx, range) => {
      settled = await settle(tx, range);
    },
  });
  for (const project_id of settled.blocking) await admitBlocked(ctx, project_id);
  if (settled.hasNotified) ctx.wakeup.wake("deliveries");
  // Transitions that a budget waits for are booked as fast as possible, all others when there is time.
  return hasMore && settled.blocking.length > 0;
}

/** After the commit: where budgets may have room, and whether there are notifications to deliver. */
type Settled = { blocking: string[]; hasNotified: boolean };

/** Usage first, then budgets: setting a budget takes the locks in the same order. */
async function settle(tx: Ctx & InTransaction, range: LogRange): Promise<Settled> {
  const projects = await bookMoves(tx, range);
  const ids = [...(await lockBudgets(tx, projects)).keys()];
  if (ids.length === 0) return { blocking: [], hasNotified: false };
  await returnReservations(tx, ids, range);
  const budgets = [...(await lockBudgets(tx, ids)).values()];
  let hasNotified = false;
  for (const budget of budgets) hasNotified = (await raiseThresholds(tx, budget)) || hasNotified;
  return { blocking: budgets.filter(({ action }) => action === "block").map((each) => each.project_id), hasNotified };
}
