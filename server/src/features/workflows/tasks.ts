import type { Task } from "../../platform/task.ts";
import { evaluateCanaries } from "./evaluate-canaries.ts";
import { hasAutomaticCanaries } from "./has-automatic-canaries.ts";
import { removeDeletedWorkflows } from "./queries.ts";

const PAGE = 500;

export const workflowTasks: Task[] = [
  {
    name: "evaluate-canaries",
    everyMs: 2_000,
    oneInstance: true,
    hasWork: hasAutomaticCanaries,
    runOnce: evaluateCanaries,
  },
  {
    name: "remove-deleted-workflows",
    everyMs: 600_000,
    oneInstance: true,
    runOnce: async (ctx) => (await removeDeletedWorkflows(ctx, PAGE)) === PAGE,
  },
];
