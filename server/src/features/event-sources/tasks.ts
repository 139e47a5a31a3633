import { removeOldSourceEvents } from "../../flow/sources/remove-old-source-events.ts";
import type { Task } from "../../platform/task.ts";

export const eventSourceTasks: Task[] = [
  { name: "remove-old-source-events", everyMs: 60_000, oneInstance: true, runOnce: removeOldSourceEvents },
];
