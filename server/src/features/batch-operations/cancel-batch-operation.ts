import { releaseBatchStops } from "../../flow/runs/stop/release-batch-stops.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import { cancelBatch } from "../../platform/batches/end-batch.ts";
import type { BatchRow } from "../../platform/batches/read-batch.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { getBatchOperation } from "./get-batch-operation.ts";

/** Starts no further item. The current page finishes first, and completed items stay done. Idempotent. */
export async function cancelBatchOperation(ctx: ProjectCtx, id: string): Promise<BatchRow> {
  await getBatchOperation(ctx, id);
  const canceled = await inTransaction(ctx, async (tx) => {
    const isCanceled = await cancelBatch(tx, { project_id: tx.project_id, batch_id: id });
    const batch = await getBatchOperation(tx, id);
    const { kind, status, processed, total } = batch;
    if (!isCanceled && status === "canceled") return batch;
    if (!isCanceled) {
      throw new ApiError("batch_operation_ended", `The batch operation has already ended: its status is ${status}.`);
    }
    await recordAudit(tx, {
      action: "batch_operation.canceled",
      resource_type: "batch_operation",
      resource_id: id,
      after: { kind, processed, total },
    });
    return batch;
  });
  await releaseBatchStops(ctx, ctx.project_id);
  return canceled;
}
