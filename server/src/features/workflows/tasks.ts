import type { Task } from "../../platform/task.ts";
import { evaluateCanaries } from "./canaries/evaluate-canaries.ts";
import { hasAutomaticCanaries } from "./canaries/has-automatic-canaries.ts";

export const workflowTasks: Task[] = [
  {
    name: "evaluate-canaries",
    everyMs: 2_000,
    oneInstance: true,
    hasWork: hasAutomaticCanaries,
    runOnce: evaluateCanaries,
  },
];
