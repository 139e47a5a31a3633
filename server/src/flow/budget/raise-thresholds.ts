import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import type { Budget } from "./lock-budgets.ts";
import { notifyBudget } from "./notify-budget.ts";

/**
 * Publishes each threshold that the spent amount has reached and that was not reported in this period. Under the lock.
 */
export async function raiseThresholds(tx: Ctx & InTransaction, budget: Budget): Promise<void> {
  const reached = reachedThresholds(budget);
  const fresh = reached.filter((percent) => !budget.raised_thresholds.includes(percent));
  if (fresh.length === 0) return;
  await sql`
    update project_budgets set raised_thresholds = ${reached}::int[], updated_at = clock()
    where project_id = ${budget.project_id}`.execute(tx.db);
  for (const threshold_percent of fresh) {
    await notifyBudget(tx, budget, threshold_percent < 100 ? "budget.warning" : "budget.exceeded", {
      threshold_percent,
    });
  }
}

/** Based on the spent amount; reservations may be released. */
export function reachedThresholds({ thresholds, monthly_budget_microusd, settled_microusd }: Budget): number[] {
  if (monthly_budget_microusd === null) return [];
  return thresholds.filter((percent) => settled_microusd * 100 >= percent * monthly_budget_microusd);
}
