import type { Task } from "../../platform/task.ts";
import { reconcileCosts } from "./costs/reconcile-costs.ts";
import { confirmRollups, HAS_ATTEMPTS_TO_COUNT, HAS_EVENTS_TO_COUNT } from "./rollups/confirm-rollups.ts";
import { reconcileRollups } from "./rollups/reconcile-rollups.ts";
import { recountEvents, recountWebhooks } from "./rollups/recount.ts";

export const analyticsTasks: Task[] = [
  {
    name: "recount-events",
    everyMs: 5_000,
    oneInstance: true,
    hasWork: HAS_EVENTS_TO_COUNT,
    runOnce: recountEvents,
  },
  {
    name: "recount-webhooks",
    everyMs: 10_000,
    oneInstance: true,
    hasWork: HAS_ATTEMPTS_TO_COUNT,
    runOnce: recountWebhooks,
  },
  { name: "confirm-rollups", everyMs: 5_000, oneInstance: false, runOnce: confirmRollups },
  { name: "reconcile-rollups", everyMs: 60_000, oneInstance: true, runOnce: (ctx) => reconcileRollups(ctx) },
];

export const costTasks: Task[] = [
  { name: "reconcile-costs", everyMs: 60_000, oneInstance: true, runOnce: (ctx) => reconcileCosts(ctx) },
];
