import { hasNewChanges } from "../../platform/changelog/has-new-changes.ts";
import type { Task } from "../../platform/task.ts";
import { reconcileRollups } from "./reconcile-rollups.ts";
import { recountEvents } from "./recount-events.ts";
import { recountWebhooks } from "./recount-webhooks.ts";
import { RUNS_CONSUMER, rollUpRuns } from "./roll-up-runs.ts";
import { rollUpWorkflows, WORKFLOWS_CONSUMER } from "./roll-up-workflows.ts";

export const analyticsTasks: Task[] = [
  {
    name: "roll-up-runs",
    everyMs: 1_000,
    oneInstance: true,
    consumesLog: true,
    hasWork: (ctx) => hasNewChanges(ctx, RUNS_CONSUMER),
    runOnce: rollUpRuns,
  },
  {
    name: "roll-up-workflows",
    everyMs: 1_000,
    oneInstance: true,
    consumesLog: true,
    hasWork: (ctx) => hasNewChanges(ctx, WORKFLOWS_CONSUMER),
    runOnce: rollUpWorkflows,
  },
  { name: "recount-events", everyMs: 5_000, oneInstance: true, runOnce: recountEvents },
  { name: "recount-webhooks", everyMs: 10_000, oneInstance: true, runOnce: recountWebhooks },
  { name: "reconcile-rollups", everyMs: 60_000, oneInstance: true, runOnce: (ctx) => reconcileRollups(ctx) },
];
