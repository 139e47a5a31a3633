import type { Loop } from "../../platform/loop.ts";
import { keepPartitions } from "../../platform/partitions.ts";

export const decisionLoops: Loop[] = [
  {
    name: "keep-decision-partitions",
    everyMs: 3_600_000,
    oneInstance: true,
    runOnce: (ctx) =>
      keepPartitions(ctx, { table: "workflow_decisions", keep_secs: ctx.config.workflow_run_retention_secs }),
  },
];
