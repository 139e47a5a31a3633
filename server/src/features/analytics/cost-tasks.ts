import { hasNewChanges } from "../../platform/changelog/has-new-changes.ts";
import type { Task } from "../../platform/task.ts";
import { reconcileCosts } from "./reconcile-costs.ts";
import { COSTS_CONSUMER, rollUpCosts } from "./roll-up-costs.ts";

export const costTasks: Task[] = [
  {
    name: "roll-up-costs",
    everyMs: 2_000,
    oneInstance: true,
    consumesLog: true,
    hasWork: (ctx) => hasNewChanges(ctx, COSTS_CONSUMER),
    runOnce: rollUpCosts,
  },
  { name: "reconcile-costs", everyMs: 60_000, oneInstance: true, runOnce: (ctx) => reconcileCosts(ctx) },
];
