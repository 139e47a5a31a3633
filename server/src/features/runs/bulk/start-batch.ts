import { recordAudit } from "../../../platform/audit/record-audit.ts";
import { type BatchRow, readBatch } from "../../../platform/batches/read-batch.ts";
import { type NewBatch, trackBatch } from "../../../platform/batches/track-batch.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { wake } from "../../../platform/wakeups/wake.ts";

/** Wakes the task that processes batches. */
export const BATCHES_TOPIC = "batches";

/** Inserts a batch for the task, with its audit event, and returns it. */
export async function startBatch(
  ctx: ProjectCtx,
  { action, ...batch }: NewBatch & { action: string; request: object },
): Promise<BatchRow> {
  const started = await inTransaction(ctx, async (tx) => {
    const batch_id = await trackBatch(tx, { ...batch, is_background: true });
    await auditBulk(tx, { action, batch_id, after: { ...batch.request, total: batch.total } });
    tx.afterCommit(({ metrics }) => metrics.bulkOperations.inc());
    wake(tx, BATCHES_TOPIC);
    return readBatch(tx, batch_id);
  });
  if (!started) throw notFound("batch operation");
  return started;
}

type BulkCall = { action: string; batch_id: string; after: object };

/** One event for the whole call; the batch operation holds the outcome of each run. */
export function auditBulk(tx: ProjectCtx & InTransaction, { action, batch_id, after }: BulkCall): Promise<void> {
  return recordAudit(tx, {
    action: `run.${action}`,
    resource_type: "batch_operation",
    resource_id: batch_id,
    after,
  });
}
