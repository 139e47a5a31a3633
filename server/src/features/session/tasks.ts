import { deleteExpiredSessions } from "../../platform/access/session-store.ts";
import type { Task } from "../../platform/task.ts";

const PAGE = 1_000;

export const sessionTasks: Task[] = [
  {
    name: "delete-expired-sessions",
    everyMs: 60_000,
    oneInstance: true,
    runOnce: async (ctx) => (await deleteExpiredSessions(ctx, PAGE)) === PAGE,
  },
];
