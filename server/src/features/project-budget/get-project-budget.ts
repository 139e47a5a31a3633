import type { ProjectBudget } from "@millrace/contract/project-budget";
import { type Budget, readBudget } from "../../flow/budget/lock-budgets.ts";
import type { ProjectCtx } from "../../platform/context.ts";

export async function getProjectBudget(ctx: ProjectCtx): Promise<ProjectBudget> {
  return presentBudget(await readBudget(ctx, ctx.project_id));
}

function presentBudget(budget: Budget): ProjectBudget {
  const { monthly_budget_microusd, settled_microusd, reserved_microusd } = budget;
  const remaining_microusd =
    monthly_budget_microusd === null ? null : monthly_budget_microusd - settled_microusd - reserved_microusd;
  return { ...budget, remaining_microusd };
}
