import type { Task } from "../../platform/task.ts";
import { evaluateCanaries, HAS_AUTOMATIC_CANARIES } from "./canaries/evaluate-canaries.ts";

export const workflowTasks: Task[] = [
  {
    name: "evaluate-canaries",
    everyMs: 2_000,
    oneInstance: true,
    hasWork: HAS_AUTOMATIC_CANARIES,
    runOnce: evaluateCanaries,
  },
];
