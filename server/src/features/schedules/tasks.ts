import { fireSchedules, HAS_DUE_SCHEDULES } from "../../flow/schedules/fire-schedules.ts";
import type { Task } from "../../platform/task.ts";

export const scheduleTasks: Task[] = [
  { name: "fire-schedules", everyMs: 500, oneInstance: false, hasWork: HAS_DUE_SCHEDULES, runOnce: fireSchedules },
];
