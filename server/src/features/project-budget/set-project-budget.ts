import type { ProjectBudget, SetProjectBudget } from "@millrace/contract/project-budget";
import { admitBlocked } from "../../flow/budget/admit-blocked.ts";
import { DEFAULT_THRESHOLDS } from "../../flow/budget/lock-budgets.ts";
import { type BudgetRules, setBudget } from "../../flow/budget/set-budget.ts";
import { refuseBoundKey } from "../../platform/access/bound-environment.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { getProjectBudget } from "./get-project-budget.ts";

/** Runs that were blocked on the budget and now fit continue before the response. */
export async function setProjectBudget(ctx: ProjectCtx, body: SetProjectBudget): Promise<ProjectBudget> {
  refuseBoundKey(ctx.caller, "the budget is");
  const rules = rulesOf(body);
  await inTransaction(ctx, async (tx) => {
    const set = await setBudget(tx, ctx.project_id, rules);
    if (!set) return;
    await recordAudit(tx, {
      action: "project_budget.updated",
      resource_type: "project_budget",
      resource_id: ctx.project_id,
      before: set.before,
      after: rules,
    });
  });
  await admitBlocked(ctx, ctx.project_id);
  return getProjectBudget(ctx);
}

function rulesOf({ monthly_budget_microusd, action = "notify", thresholds }: SetProjectBudget): BudgetRules {
  return {
    monthly_budget_microusd,
    action,
    thresholds: (thresholds ?? DEFAULT_THRESHOLDS).toSorted((a, b) => a - b),
  };
}
