import type { Task } from "../../platform/task.ts";
import { registerInstance } from "./register-instance.ts";

export const operationTasks: Task[] = [
  { name: "register-instance", everyMs: 5_000, oneInstance: false, runOnce: registerInstance },
];
