import type { Task } from "../../../platform/task.ts";
import { reconcileCosts } from "./reconcile-costs.ts";

export const costTasks: Task[] = [
  { name: "reconcile-costs", everyMs: 60_000, oneInstance: true, runOnce: (ctx) => reconcileCosts(ctx) },
];
