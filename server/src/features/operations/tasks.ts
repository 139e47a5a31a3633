import type { Task } from "../../platform/task.ts";
import { checkInvariants } from "./invariants/check-invariants.ts";
import { registerInstance } from "./register-instance.ts";

export const operationTasks: Task[] = [
  { name: "register-instance", everyMs: 5_000, oneInstance: false, runOnce: registerInstance },
  { name: "check-invariants", everyMs: 15_000, oneInstance: true, runOnce: checkInvariants },
];
