import { admitAllBlocked, BUDGETS_TOPIC, HAS_BUDGETS } from "../../flow/budget/admit-blocked.ts";
import { reconcileBudgets } from "../../flow/budget/reconcile-budgets.ts";
import type { Task } from "../../platform/task.ts";

export const projectBudgetTasks: Task[] = [
  {
    name: "admit-blocked-on-budget",
    everyMs: 1_000,
    oneInstance: true,
    wakeOn: BUDGETS_TOPIC,
    hasWork: HAS_BUDGETS,
    runOnce: admitAllBlocked,
  },
  { name: "reconcile-budgets", everyMs: 30_000, oneInstance: true, runOnce: reconcileBudgets },
];
