import { workOnBatch } from "../../platform/batches/work-on-batch.ts";
import type { Ctx } from "../../platform/context.ts";
import { cancelPage } from "./bulk-cancel-page.ts";
import { replayPage } from "./bulk-replay-page.ts";

/** A database that is busy may need a while; one page that is too much for it never ends. */
const MOST_TIMEOUTS = 50;

/** A small page of the bulk cancel or replay that was left alone the longest. */
export function workOnBatches(ctx: Ctx): Promise<boolean> {
  return workOnBatch(ctx, {
    pages: { cancel_all: cancelPage, dlq_replay: replayPage },
    failure: "a page of a batch failed",
    mostTimeouts: MOST_TIMEOUTS,
  });
}
