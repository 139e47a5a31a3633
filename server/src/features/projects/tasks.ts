import type { Task } from "../../platform/task.ts";
import { rewrapDataKeys } from "./rewrap-data-keys.ts";

export const projectTasks: Task[] = [
  { name: "rewrap-data-keys", everyMs: 600_000, oneInstance: true, runOnce: rewrapDataKeys },
];
