import { hasNewRows } from "../../platform/changelog/has-new-rows.ts";
import type { Task } from "../../platform/task.ts";
import { expandRunEvents, RUN_EVENTS_CONSUMER } from "./expand-run-events.ts";
import { expandWorkflowEvents, WORKFLOW_EVENTS_CONSUMER } from "./expand-workflow-events.ts";

export const webhookSubscriptionTasks: Task[] = [
  {
    name: "expand-run-events",
    everyMs: 500,
    oneInstance: true,
    consumesLog: true,
    hasWork: (ctx) => hasNewRows(ctx, RUN_EVENTS_CONSUMER, "run_transitions"),
    runOnce: expandRunEvents,
  },
  {
    name: "expand-workflow-events",
    everyMs: 500,
    oneInstance: true,
    consumesLog: true,
    hasWork: (ctx) => hasNewRows(ctx, WORKFLOW_EVENTS_CONSUMER, "workflow_decisions"),
    runOnce: expandWorkflowEvents,
  },
];
