import type { BUDGET_EVENTS } from "@millrace/contract/webhook-subscriptions";
import { recordServiceAudit } from "../../platform/audit/record-service-audit.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
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
