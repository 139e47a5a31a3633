import { keepPartitions } from "../../platform/database/partitions.ts";
import type { Task } from "../../platform/task.ts";

export const logTasks: Task[] = [
  {
    name: "keep-partitions",
    everyMs: 3_600_000,
    oneInstance: true,
    runOnce: async (ctx) => {
      const { log_retention_secs, run_retention_secs } = ctx.config;
      const moreLogs = await keepPartitions(ctx, { table: "run_logs", keep_secs: log_retention_secs });
      const moreMoves = await keepPartitions(ctx, { table: "run_transitions", keep_secs: run_retention_secs });
      return moreLogs || moreMoves;
    },
  },
];
