import { fireSchedules } from "../../flow/schedules/fire-schedules.ts";
import type { Task } from "../../platform/task.ts";

export const scheduleTasks: Task[] = [
  { name: "fire-schedules", everyMs: 500, oneInstance: false, runOnce: fireSchedules },
];
