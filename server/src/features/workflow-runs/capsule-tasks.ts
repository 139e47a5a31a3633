import { RETENTION_THROTTLE, type Task } from "../../platform/task.ts";
import { removeOldCapsules } from "./remove-old-capsules.ts";

export const capsuleTasks: Task[] = [
  {
    name: "remove-old-capsules",
    everyMs: 60_000,
    oneInstance: true,
    throttle: RETENTION_THROTTLE,
    runOnce: removeOldCapsules,
  },
];
