import { removeOldBatches } from "../../platform/batches/remove-old-batches.ts";
import { RETENTION_THROTTLE, type Task } from "../../platform/task.ts";

export const batchOperationTasks: Task[] = [
  {
    name: "remove-old-batches",
    everyMs: 60_000,
    oneInstance: true,
    throttle: RETENTION_THROTTLE,
    runOnce: removeOldBatches,
  },
];
