import { keepPartitions } from "../../../platform/database/partitions.ts";
import type { Task } from "../../../platform/task.ts";

export const decisionTasks: Task[] = [
  {
    name: "keep-decision-partitions",
    everyMs: 3_600_000,
    oneInstance: true,
    runOnce: (ctx) =>
      keepPartitions(ctx, { table: "workflow_decisions", keep_secs: ctx.config.workflow_run_retention_secs }),
  },
];
