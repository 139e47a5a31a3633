import { fireSchedules, HAS_DUE_SCHEDULES } from "../../flow/schedules/fire-schedules.ts";
import { hasUnfinishedBatches } from "../../platform/batches/claim-batch.ts";
import { workOnBatch } from "../../platform/batches/work-on-batch.ts";
import type { Task } from "../../platform/task.ts";
import { BACKFILL_KIND, BACKFILLS_TOPIC, backfillPage } from "./backfill-schedule.ts";

export const scheduleTasks: Task[] = [
  { name: "fire-schedules", everyMs: 500, oneInstance: false, hasWork: HAS_DUE_SCHEDULES, runOnce: fireSchedules },
  {
    name: "backfill-schedules",
    everyMs: 1_000,
    oneInstance: false,
    wakeOn: BACKFILLS_TOPIC,
    throttle: 3,
    hasWork: hasUnfinishedBatches([BACKFILL_KIND]),
    runOnce: (ctx) =>
      workOnBatch(ctx, { pages: { [BACKFILL_KIND]: backfillPage }, failure: "a page of a backfill failed" }),
  },
];
