import type { Ctx } from "../platform/context.ts";
import { readBudget } from "./budget/read-budget.ts";
import type { NewRun } from "./new-run.ts";
import { readP95s, takeFrom } from "./reserve-budget.ts";
import type { OverBudget } from "./trigger-result.ts";

/**
 * Which of these runs, all of one project, its budget would have no room for, one after the other. Nothing is taken from
 * it, and nobody is told that it blocks.
 */
export async function previewBudget(ctx: Ctx, runs: readonly NewRun[]): Promise<Map<NewRun, OverBudget>> {
  const budgeted = runs.filter((run) => run.is_budgeted);
  if (!budgeted[0]) return new Map();
  const budget = await readBudget(ctx, budgeted[0].project_id);
  const p95s = await readP95s(ctx, budgeted);
  const refused = new Map<NewRun, OverBudget>();
  for (const run of budgeted) {
    const over = takeFrom(budget, { ...run }, p95s.get(run.job_id) ?? 0);
    // As it stands for this one: what comes after it may take more.
    if (over) refused.set(run, { ...over, budget: { ...over.budget } });
  }
  return refused;
}
