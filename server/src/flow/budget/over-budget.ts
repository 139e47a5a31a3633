import { ApiError } from "../../platform/errors/errors.ts";
import { formatUsd } from "../../platform/format-usd.ts";
import type { OverBudget } from "../runs/create/trigger-result.ts";
import { type Budget, roomIn } from "./lock-budgets.ts";

/** The refusal of a run that exceeds the budget: the budget's state, and what can be done. */
export function overBudget({ budget, estimate }: OverBudget): ApiError {
  const { settled_microusd, reserved_microusd } = budget;
  const left = Math.max(0, roomIn(budget) ?? 0);
  const needed = settled_microusd + reserved_microusd + estimate;
  return new ApiError(
    "budget_exceeded",
    `${spentOf(budget, formatUsd(left))}, and this run is expected to cost ${formatUsd(estimate)}. ` +
      `Raise monthly_budget_microusd to ${needed} or more with PUT /v1/project-budget${orWait(budget)}`,
  );
}

/** The refusal of a workflow run, which costs nothing itself, while nothing is left for its steps. */
export function budgetIsSpent(budget: Budget): ApiError {
  const { settled_microusd, reserved_microusd } = budget;
  return new ApiError(
    "budget_exceeded",
    `${spentOf(budget, "nothing")}. Raise monthly_budget_microusd above ` +
      `${settled_microusd + reserved_microusd} with PUT /v1/project-budget${orWait(budget)}`,
  );
}

function spentOf({ monthly_budget_microusd, settled_microusd, reserved_microusd }: Budget, left: string): string {
  return (
    `The project's budget of ${formatUsd(monthly_budget_microusd ?? 0)} a month has ${left} left ` +
    `(${formatUsd(settled_microusd)} spent, ${formatUsd(reserved_microusd)} reserved for runs that have not ended)`
  );
}

/** Without reservations nothing will be released. */
function orWait({ reserved_microusd, period_ends_at }: Budget): string {
  const first = reserved_microusd > 0 ? ", wait until runs release unused reservations," : "";
  return `${first} or wait for the next period, which begins at ${period_ends_at}.`;
}
