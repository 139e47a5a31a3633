import type { Task } from "../../platform/task.ts";
import { confirmRollups, HAS_ATTEMPTS_TO_COUNT, HAS_EVENTS_TO_COUNT } from "./rollups/confirm-rollups.ts";
import { reconcileRollups } from "./rollups/reconcile-rollups.ts";
import { recountEvents } from "./rollups/recount-events.ts";
import { recountWebhooks } from "./rollups/recount-webhooks.ts";

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
