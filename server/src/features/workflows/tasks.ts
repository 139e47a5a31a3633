import type { Task } from "../../platform/task.ts";
import { evaluateCanaries } from "./canaries/evaluate-canaries.ts";
import { HAS_AUTOMATIC_CANARIES } from "./canaries/has-automatic-canaries.ts";

export const workflowTasks: Task[] = [
  {
    name: "evaluate-canaries",
    everyMs: 2_000,
    oneInstance: true,
    hasWork: HAS_AUTOMATIC_CANARIES,
    runOnce: evaluateCanaries,
  },
];
