import { reconcileTriggers } from "../../flow/events/reconcile-triggers.ts";
import { HAS_DUE_TRIGGERS, resolveDueTriggers } from "../../flow/events/resolve-due-triggers.ts";
import { sweepCancelKeys } from "../../flow/waits/consume-cancel-keys.ts";
import type { Task } from "../../platform/task.ts";

/** The timers of waits, and their safety net. */
export const eventTasks: Task[] = [
  {
    name: "resolve-due-triggers",
    everyMs: 500,
    oneInstance: false,
    hasWork: HAS_DUE_TRIGGERS,
    runOnce: resolveDueTriggers,
  },
  { name: "reconcile-triggers", everyMs: 30_000, oneInstance: true, runOnce: reconcileTriggers },
  { name: "sweep-cancel-keys", everyMs: 30_000, oneInstance: true, runOnce: sweepCancelKeys },
];
