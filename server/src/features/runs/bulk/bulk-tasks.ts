import type { Task } from "../../../platform/task.ts";
import { BATCHES_TOPIC } from "./bulk-order.ts";
import { workOnBatches } from "./bulk-work.ts";

/** Runs on every instance: each leases a different batch. The throttle gives foreground work priority. */
export const bulkRunTasks: Task[] = [
  {
    name: "work-on-batches",
    everyMs: 1_000,
    oneInstance: false,
    wakeOn: BATCHES_TOPIC,
    throttle: 3,
    runOnce: workOnBatches,
  },
];
