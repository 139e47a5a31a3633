import type { Ctx } from "../../platform/context.ts";
import { actingFor } from "../../platform/ledger/acting-for.ts";
import { noteBatchFailure } from "../../platform/ledger/end-batch.ts";
import { readNoted } from "../../platform/ledger/read-batch.ts";
import { giveBatchBack, type HeldBatch, takeBatch } from "../../platform/ledger/take-batch.ts";
import { BULK_CANCEL_KIND, cancelItem } from "./bulk-cancel.ts";

/** Longer than a hundred cancellations take: whoever began it has died. */
const IDLE_SECS = 60;

/** Finishes what a crash cut short: the items of a bulk cancel that nobody has noted. */
export async function finishBulkCancels(ctx: Ctx): Promise<boolean> {
  const batch = await takeBatch(ctx, { kinds: [BULK_CANCEL_KIND], idle_secs: IDLE_SECS });
  if (!batch) return false;
  try {
    await finish(ctx, batch);
  } catch (error) {
    await noteBatchFailure(ctx, batch, (error as Error).message);
    throw error;
  }
  await giveBatchBack(ctx, batch);
  return true;
}

async function finish(ctx: Ctx, batch: HeldBatch): Promise<void> {
  const { workflow_run_ids, reason } = batch.request as { workflow_run_ids: string[]; reason: string | null };
  const place = { project_id: batch.project_id, batch_id: batch.id };
  const noted = await readNoted(ctx, place);
  for (const [index, id] of workflow_run_ids.entries()) {
    if (noted.has(index)) continue;
    await cancelItem(actingFor(ctx, batch), { batch_id: batch.id, reason, isResumed: true }, index, id);
    ctx.metrics.bulkItemsProcessed.inc();
  }
}
