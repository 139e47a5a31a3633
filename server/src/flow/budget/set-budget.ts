import { isDeepStrictEqual } from "node:util";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { type Budget, DEFAULT_THRESHOLDS, lockBudgets, PERIOD, settledIn } from "./lock-budgets.ts";
import { raiseThresholds, reachedThresholds } from "./notify-budget.ts";
import { reserveRunning } from "./reserve-budget.ts";

export type BudgetRules = Pick<Budget, "monthly_budget_microusd" | "action" | "thresholds">;

/**
 * Sets a project's budget: what it has already spent in this period counts. A threshold that is no longer reached is
 * reported again when it is; one that is reached already is reported at once. After the commit, call `admitBlocked`.
 * Undefined: nothing changed.
 */
export async function setBudget(
  tx: Ctx & InTransaction,
  project_id: string,
  rules: BudgetRules,
): Promise<{ before: BudgetRules } | undefined> {
  await makeBudget(tx, project_id);
  const budget = await lockOne(tx, project_id);
  const before = onlyRules(budget);
  if (isDeepStrictEqual(before, rules)) return undefined;
  const reached = reachedThresholds({ ...budget, ...rules });
  const raised = budget.raised_thresholds.filter((percent) => reached.includes(percent));
  await sql`
    update project_budgets set monthly_budget_microusd = ${rules.monthly_budget_microusd}, action = ${rules.action},
      thresholds = ${rules.thresholds}::int[], raised_thresholds = ${raised}::int[], blocked_at = null, updated_at = clock()
    where project_id = ${project_id}`.execute(tx.db);
  if (rules.action === "block") await reserveRunning(tx, project_id);
  await raiseThresholds(tx, await lockOne(tx, project_id));
  return { before };
}

function onlyRules({ monthly_budget_microusd, action, thresholds }: BudgetRules): BudgetRules {
  return { monthly_budget_microusd, action, thresholds };
}

/**
 * A first budget begins with the amount recorded in this period. The usage rows are locked before the budget, in the same
 * order as recording does, so nothing is missed.
 */
async function makeBudget(tx: Ctx & InTransaction, project_id: string): Promise<void> {
  await sql`
    insert into usage_periods as u (project_id, period_starts_at, updated_at) values (${project_id}, ${PERIOD}, clock())
    on conflict (project_id, period_starts_at) do update set updated_at = u.updated_at`.execute(tx.db);
  await sql`
    insert into project_budgets as b (
      project_id, monthly_budget_microusd, action, thresholds, period_starts_at, settled_microusd, created_at, updated_at)
    select b.project_id, null, 'notify', ${DEFAULT_THRESHOLDS}::int[], ${PERIOD}, ${settledIn(PERIOD)}, clock(), clock()
    from (select ${project_id}::uuid as project_id) b
    on conflict (project_id) do nothing`.execute(tx.db);
}

async function lockOne(tx: Ctx & InTransaction, project_id: string): Promise<Budget> {
  const budget = (await lockBudgets(tx, [project_id])).get(project_id);
  if (!budget) throw new Error("a budget was created and cannot be found");
  return budget;
}
