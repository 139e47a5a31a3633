import { ProjectBudget, SetProjectBudget } from "@millrace/contract/analytics/project-budget";
import { admitBlocked } from "../../flow/budget/admit-blocked.ts";
import { type Budget, DEFAULT_THRESHOLDS, readBudget } from "../../flow/budget/lock-budgets.ts";
import { type BudgetRules, setBudget } from "../../flow/budget/set-budget.ts";
import { refuseBoundKey } from "../../platform/access/environments.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { projectRoute, type Route } from "../../platform/route.ts";

export const projectBudgetRoutes: Route[] = [
  projectRoute("GET /v1/project-budget", {
    summary: "Get the budget of the project and its current state",
    scope: "usage:read",
    response: ProjectBudget,
    run: (ctx) => getProjectBudget(ctx),
  }),
  projectRoute("PUT /v1/project-budget", {
    summary: "Set the budget of the project",
    scope: "usage:write",
    body: SetProjectBudget,
    response: ProjectBudget,
    run: (ctx, { body }) => setProjectBudget(ctx, body),
  }),
];

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

async function getProjectBudget(ctx: ProjectCtx): Promise<ProjectBudget> {
  return presentBudget(await readBudget(ctx, ctx.project_id));
}

function presentBudget(budget: Budget): ProjectBudget {
  const { monthly_budget_microusd, settled_microusd, reserved_microusd } = budget;
  const remaining_microusd =
    monthly_budget_microusd === null ? null : monthly_budget_microusd - settled_microusd - reserved_microusd;
  return { ...budget, remaining_microusd };
}
