import type { Positions } from "../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { lockBudgets } from "./lock-budgets.ts";
import { raiseThresholds } from "./raise-thresholds.ts";
import { returnReservations } from "./return-reservations.ts";

/**
 * Releases the reservations of dispatches whose cost was booked in this transaction. Until then they are held, so a run
 * is admitted a little late, and never beyond the budget. Usage is booked before budgets are locked: setting a budget
 * takes the locks in the same order. Returns the projects whose budgets may have room.
 */
export async function settleBudgets(
  tx: Ctx & InTransaction,
  projects: readonly string[],
  range: Positions,
): Promise<string[]> {
  const ids = [...(await lockBudgets(tx, projects)).keys()];
  if (ids.length === 0) return [];
  await returnReservations(tx, ids, range);
  const budgets = [...(await lockBudgets(tx, ids)).values()];
  for (const budget of budgets) await raiseThresholds(tx, budget);
  return budgets.filter(({ action }) => action === "block").map((each) => each.project_id);
}
