import { hasUnfinishedBatches } from "../../../platform/batches/claim-batch.ts";
import { workOnBatch } from "../../../platform/batches/work-on-batch.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Task } from "../../../platform/task.ts";
import { cancelPage } from "./bulk-cancel.ts";
import { replayPage } from "./bulk-replay-page.ts";
import { BATCHES_TOPIC } from "./start-batch.ts";

/** A busy database may need a while, but a page that is too large for it would never finish. */
const MAX_TIMEOUTS = 50;

const PAGES = { cancel_all: cancelPage, dlq_replay: replayPage };

/** Processes a small page of the bulk cancel or replay that has waited longest. */
export function workOnBatches(ctx: Ctx): Promise<boolean> {
  return workOnBatch(ctx, {
    pages: PAGES,
    failure: "a page of a batch failed",
    maxTimeouts: MAX_TIMEOUTS,
  });
}

/** Runs on every instance: each leases a different batch. The throttle gives foreground work priority. */
export const bulkRunTasks: Task[] = [
  {
    name: "work-on-batches",
    everyMs: 1_000,
    oneInstance: false,
    wakeOn: BATCHES_TOPIC,
    throttle: 3,
    hasWork: hasUnfinishedBatches(Object.keys(PAGES)),
    runOnce: workOnBatches,
  },
];
