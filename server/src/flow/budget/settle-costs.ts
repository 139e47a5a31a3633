import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { followLog } from "../../platform/ledger/follow-log.ts";
import { admitParked } from "./admit-parked.ts";
import { bookUsage } from "./book-usage.ts";
import { keepJobCosts } from "./keep-job-costs.ts";
import { lockBudgets } from "./lock-budgets.ts";
import { type Move, priceMoves } from "./price-moves.ts";
import { raiseThresholds } from "./raise-thresholds.ts";
import { returnReservations } from "./return-reservations.ts";

/** Ends of dispatches, and ends of runs. */
const WANTED = sql`(l.from_status = 'running' or l.to_status in ('completed', 'failed', 'timed_out', 'canceled'))`;

/**
 * One turn of the duty that books what runs cost, each dispatch once. In the same transaction what was reserved for it
 * goes back to the budget: until then it is held, so a run is admitted a little late, and never beyond the budget. It
 * follows the log, and so costs nothing where runs are started and ended.
 */
export async function settleCosts(ctx: Ctx): Promise<boolean> {
  let news: News = { blocking: [], hasTold: false };
  const hasMore = await followLog<Move>(ctx, {
    name: "settle-costs",
    log: "run_transitions",
    from: "start",
    only: WANTED,
    take: async (tx, moves) => {
      news = await settle(tx, moves);
    },
  });
  for (const project_id of news.blocking) await admitParked(ctx, project_id);
  if (news.hasTold) ctx.wakeup.wake("deliveries");
  // What a budget waits for is booked as fast as it can be, all else when there is time.
  return hasMore && news.blocking.length > 0;
}

/** What is to be done after the commit: where room may have been made, and whether somebody is to be told. */
type News = { blocking: string[]; hasTold: boolean };

/** Usage first, then budgets: whoever sets up a budget takes the locks in the same order. */
async function settle(tx: Ctx & InTransaction, moves: readonly Move[]): Promise<News> {
  const priced = await priceMoves(tx, moves);
  const projects = await bookUsage(tx, priced);
  await keepJobCosts(tx, priced);
  const ids = [...(await lockBudgets(tx, projects)).keys()];
  if (ids.length === 0) return { blocking: [], hasTold: false };
  await returnReservations(tx, ids, moves);
  const budgets = [...(await lockBudgets(tx, ids)).values()];
  let hasTold = false;
  for (const budget of budgets) hasTold = (await raiseThresholds(tx, budget)) || hasTold;
  return { blocking: budgets.filter(({ action }) => action === "block").map((each) => each.project_id), hasTold };
}
