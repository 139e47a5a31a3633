import type { Task } from "../../platform/task.ts";
import { removeDeletedJobs } from "./queries.ts";

const PAGE = 500;

export const jobTasks: Task[] = [
  {
    name: "remove-deleted-jobs",
    everyMs: 600_000,
    oneInstance: true,
    runOnce: async (ctx) => (await removeDeletedJobs(ctx, PAGE)) === PAGE,
  },
];
