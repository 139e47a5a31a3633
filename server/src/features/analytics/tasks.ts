import type { Task } from "../../platform/task.ts";
import { reconcileRollups } from "./rollups/reconcile-rollups.ts";
import { recountEvents } from "./rollups/recount-events.ts";
import { recountWebhooks } from "./rollups/recount-webhooks.ts";

export const analyticsTasks: Task[] = [
  { name: "recount-events", everyMs: 5_000, oneInstance: true, runOnce: recountEvents },
  { name: "recount-webhooks", everyMs: 10_000, oneInstance: true, runOnce: recountWebhooks },
  { name: "reconcile-rollups", everyMs: 60_000, oneInstance: true, runOnce: (ctx) => reconcileRollups(ctx) },
];
