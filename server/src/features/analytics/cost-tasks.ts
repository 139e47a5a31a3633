import { RETENTION_THROTTLE, type Task } from "../../platform/task.ts";
import { removeOldCosts } from "./costs-remove-old.ts";
import { reconcileCosts } from "./reconcile-costs.ts";

export const costTasks: Task[] = [
  { name: "reconcile-costs", everyMs: 60_000, oneInstance: true, runOnce: (ctx) => reconcileCosts(ctx) },
  {
    name: "remove-old-costs",
    everyMs: 60_000,
    oneInstance: true,
    throttle: RETENTION_THROTTLE,
    runOnce: removeOldCosts,
  },
];
