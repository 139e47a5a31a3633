import { type HeldBatch, orderedBy } from "../../platform/batches/claim-batch.ts";
import { readNoted } from "../../platform/batches/read-batch.ts";
import { workOnBatch } from "../../platform/batches/work-on-batch.ts";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { BULK_CANCEL_KIND, cancelItem } from "./bulk-cancel.ts";

/** Longer than a hundred cancellations take: the instance that started it is gone. */
const IDLE_SECS = 60;

/** Finishes bulk cancels interrupted by a crash: processes the items that were not recorded. */
export function finishBulkCancels(ctx: Ctx): Promise<boolean> {
  return workOnBatch(ctx, {
    pages: { [BULK_CANCEL_KIND]: finish },
    failure: "finishing a bulk cancel failed",
    idle_secs: IDLE_SECS,
  });
}

/** At most a hundred, so the rest is one page. */
async function finish(ctx: ProjectCtx, batch: HeldBatch): Promise<void> {
  const { workflow_run_ids, reason } = batch.request as { workflow_run_ids: string[]; reason: string | null };
  const key = { project_id: batch.project_id, batch_id: batch.id };
  const noted = await readNoted(ctx, key);
  for (const [index, id] of workflow_run_ids.entries()) {
    if (noted.has(index)) continue;
    await cancelItem(ctx, { batch_id: batch.id, reason, by: orderedBy(batch), isResumed: true }, index, id);
    ctx.metrics.bulkItemsProcessed.inc();
  }
}
