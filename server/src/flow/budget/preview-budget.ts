import type { Ctx } from "../../platform/context.ts";
import type { NewRun } from "../runs/create/new-run.ts";
import type { OverBudget } from "../runs/create/trigger-result.ts";
import { readBudget } from "./read-budget.ts";
import { readP95s, takeFrom } from "./reserve-budget.ts";

/**
 * Which of these runs, all of one project, would exceed its budget, one after the other. Reserves nothing, and
 * publishes no notification that the budget blocks.
 */
export async function previewBudget(ctx: Ctx, runs: readonly NewRun[]): Promise<Map<NewRun, OverBudget>> {
  const budgeted = runs.filter((run) => run.is_budgeted);
  if (!budgeted[0]) return new Map();
  const budget = await readBudget(ctx, budgeted[0].project_id);
  const p95s = await readP95s(ctx, budgeted);
  const refused = new Map<NewRun, OverBudget>();
  for (const run of budgeted) {
    const over = takeFrom(budget, { ...run }, p95s.get(run.job_id) ?? 0);
    // The budget as seen by this run: later ones may take more.
    if (over) refused.set(run, { ...over, budget: { ...over.budget } });
  }
  return refused;
}
