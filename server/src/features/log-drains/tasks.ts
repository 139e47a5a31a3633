import type { Task } from "../../platform/task.ts";
import { HAS_DUE_DRAINS } from "./claim-drains.ts";
import { drainerOf } from "./drainer.ts";

export const logDrainTasks: Task[] = [
  {
    name: "drain-logs",
    everyMs: 500,
    oneInstance: false,
    consumesLog: true,
    hasWork: HAS_DUE_DRAINS,
    runOnce: async (ctx) => {
      await drainerOf(ctx).poll();
      return false;
    },
  },
];
