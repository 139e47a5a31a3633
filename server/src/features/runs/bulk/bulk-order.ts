import { type BatchRow, readBatch } from "../../../platform/batches/read-batch.ts";
import { type NewBatch, trackBatch } from "../../../platform/batches/track-batch.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { wake } from "../../../platform/wake.ts";
import { auditBulk } from "./bulk-audit.ts";

/** Wakes the task that processes batches. */
export const BATCHES_TOPIC = "batches";

/** Inserts a batch for the task, with its audit event, and returns it. */
export async function orderBatch(
  ctx: ProjectCtx,
  { action, ...batch }: NewBatch & { action: string; request: object },
): Promise<BatchRow> {
  const ordered = await inTransaction(ctx, async (tx) => {
    const batch_id = await trackBatch(tx, { ...batch, is_background: true });
    await auditBulk(tx, { action, batch_id, after: { ...batch.request, total: batch.total } });
    tx.afterCommit(({ metrics }) => metrics.bulkOperations.inc());
    wake(tx, BATCHES_TOPIC);
    return readBatch(tx, batch_id);
  });
  if (!ordered) throw notFound("batch operation");
  return ordered;
}
