import { admitAllParked } from "../../flow/budget/admit-all-parked.ts";
import { BUDGETS_TOPIC } from "../../flow/budget/admit-parked.ts";
import { reconcileBudgets } from "../../flow/budget/reconcile-budgets.ts";
import { settleCosts } from "../../flow/budget/settle-costs.ts";
import { hasNews } from "../../platform/ledger/has-news.ts";
import type { Task } from "../../platform/task.ts";

export const projectBudgetTasks: Task[] = [
  {
    name: "settle-costs",
    everyMs: 500,
    oneInstance: true,
    followsLog: true,
    throttle: 1,
    hasWork: (ctx) => hasNews(ctx, "settle-costs", "run_transitions"),
    runOnce: settleCosts,
  },
  { name: "admit-parked-on-budget", everyMs: 1_000, oneInstance: true, wakeOn: BUDGETS_TOPIC, runOnce: admitAllParked },
  { name: "reconcile-budgets", everyMs: 30_000, oneInstance: true, runOnce: reconcileBudgets },
];
