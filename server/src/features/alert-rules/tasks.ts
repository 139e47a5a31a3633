import type { Task } from "../../platform/task.ts";
import { evaluateRules, HAS_DUE_RULES } from "./evaluate/evaluate-rules.ts";

export const alertRuleTasks: Task[] = [
  {
    name: "evaluate-alert-rules",
    everyMs: 5_000,
    oneInstance: true,
    hasWork: HAS_DUE_RULES,
    runOnce: evaluateRules,
  },
];
