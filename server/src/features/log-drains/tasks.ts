import type { Task } from "../../platform/task.ts";
import { drainerOf } from "./drainer.ts";

export const logDrainTasks: Task[] = [
  {
    name: "drain-logs",
    everyMs: 500,
    oneInstance: false,
    consumesLog: true,
    runOnce: (ctx) => drainerOf(ctx).poll(),
  },
];
