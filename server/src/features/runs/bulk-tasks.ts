import type { Task } from "../../platform/task.ts";
import { BATCHES_TOPIC } from "./bulk-order.ts";
import { workOnBatches } from "./bulk-work.ts";

/** Any instance may work: each takes another batch, and holds it by a lease. Foreground work comes first: hence the rest. */
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
