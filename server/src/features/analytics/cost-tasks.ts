import { hasNewRows } from "../../platform/changelog/has-new-rows.ts";
import { RETENTION_THROTTLE, type Task } from "../../platform/task.ts";
import { removeOldCosts } from "./costs-remove-old.ts";
import { reconcileCosts } from "./reconcile-costs.ts";
import { DISPATCHES_CONSUMER, rollUpCosts, USAGE_CONSUMER } from "./roll-up-costs.ts";

export const costTasks: Task[] = [
  {
    name: "roll-up-costs",
    everyMs: 2_000,
    oneInstance: true,
    consumesLog: true,
    hasWork: async (ctx) =>
      (await hasNewRows(ctx, DISPATCHES_CONSUMER, "run_transitions")) ||
      (await hasNewRows(ctx, USAGE_CONSUMER, "run_usage")),
    runOnce: rollUpCosts,
  },
  { name: "reconcile-costs", everyMs: 60_000, oneInstance: true, runOnce: (ctx) => reconcileCosts(ctx) },
  {
    name: "remove-old-costs",
    everyMs: 60_000,
    oneInstance: true,
    throttle: RETENTION_THROTTLE,
    runOnce: removeOldCosts,
  },
];
