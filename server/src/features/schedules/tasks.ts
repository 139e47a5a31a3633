import { fireSchedules } from "../../flow/fire-schedules.ts";
import { removeOldFires } from "../../flow/remove-old-fires.ts";
import type { Task } from "../../platform/task.ts";

export const scheduleTasks: Task[] = [
  { name: "fire-schedules", everyMs: 500, oneInstance: false, runOnce: fireSchedules },
  { name: "remove-old-fires", everyMs: 60_000, oneInstance: true, runOnce: removeOldFires },
];
