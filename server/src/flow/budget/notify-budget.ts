import type { BUDGET_EVENTS } from "@millrace/contract/deliveries/webhook-subscriptions";
import { recordServiceAudit } from "../../platform/audit/record-audit.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notifySubscribers } from "../../platform/webhooks/notify-subscribers.ts";
import type { Budget } from "./lock-budgets.ts";

type BudgetEvent = (typeof BUDGET_EVENTS)[number];

/** One webhook event and one audit event, in the caller's transaction. */
export async function notifyBudget(
  tx: Ctx & InTransaction,
  budget: Budget,
  type: BudgetEvent,
  details: { threshold_percent?: number },
): Promise<void> {
  const { project_id, monthly_budget_microusd, action, period_starts_at, period_ends_at } = budget;
  const { settled_microusd, reserved_microusd } = budget;
  const spent = { settled_microusd, reserved_microusd, period_starts_at, period_ends_at };
  const data = { project_id, ...details, monthly_budget_microusd, action, ...spent };
  await notifySubscribers(tx, [
    { project_id, environment_id: null, type, source_type: "budget", source_id: project_id, data },
  ]);
  await recordServiceAudit(tx, project_id, {
    action: type,
    resource_type: "project_budget",
    resource_id: project_id,
    after: data,
  });
}

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
