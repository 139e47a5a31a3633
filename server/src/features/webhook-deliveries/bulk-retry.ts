import type { BulkRetryDeliveries, BulkRetryDeliveriesResult } from "@millrace/contract/deliveries/webhook-deliveries";
import { advanceBatch } from "../../platform/batches/advance-batch.ts";
import type { BatchRow } from "../../platform/batches/read-batch.ts";
import { trackBatch } from "../../platform/batches/track-batch.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid } from "../../platform/errors/errors.ts";
import type { RouteReply } from "../../platform/route.ts";
import { parseInstant } from "../../platform/time/instant.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { type Reset, resetFailed } from "./reset-failed.ts";
import { auditRetries, RETRY_BATCH, startRetry } from "./start-retry.ts";

type Result = BulkRetryDeliveriesResult["results"][number];

/** Retries named deliveries before it returns; for a filter it returns 202, and a task retries the matches. */
export async function bulkRetry(
  ctx: ProjectCtx,
  { delivery_ids, filter }: BulkRetryDeliveries,
  reply: RouteReply,
): Promise<BulkRetryDeliveriesResult | BatchRow> {
  if (delivery_ids && filter) throw invalid("body.filter", "cannot be given together with delivery_ids", filter);
  if (delivery_ids) return retryNamed(ctx, delivery_ids);
  if (!filter) throw invalid("body", "must have either delivery_ids or filter", null);
  const { from, to } = filter;
  reply.status(202);
  return startRetry(ctx, {
    ...filter,
    ...(from !== undefined && { from: parseInstant("body.filter.from", from) }),
    ...(to !== undefined && { to: parseInstant("body.filter.to", to) }),
  });
}

/** Returns a finished batch operation. A delivery that cannot be retried fails alone. */
function retryNamed(ctx: ProjectCtx, delivery_ids: string[]): Promise<BulkRetryDeliveriesResult> {
  return inTransaction(ctx, async (tx) => {
    const results = (await resetFailed(tx, delivery_ids)).map(resultOf);
    const total = delivery_ids.length;
    const batch_id = await trackBatch(tx, { kind: RETRY_BATCH, total, request: { delivery_ids } });
    await advanceBatch(tx, { project_id: tx.project_id, batch_id }, results.map(batchItem));
    await auditRetries(tx, batch_id, { delivery_ids, total });
    wake(tx, "deliveries");
    tx.afterCommit(({ metrics }) => {
      metrics.bulkOperations.inc();
      metrics.bulkItemsProcessed.inc(total);
    });
    return { batch_id, results };
  });
}

function resultOf(reset: Reset, index: number): Result {
  if (!reset.apiError) return { index, delivery_id: reset.id, status: "retried", error: null };
  const { code, message } = reset.apiError;
  return { index, delivery_id: reset.id, status: "failed", error: { code, message } };
}

function batchItem({ index, delivery_id, status, error }: Result) {
  return {
    item_index: index,
    target_id: delivery_id,
    status: status === "failed" ? ("failed" as const) : ("succeeded" as const),
    ...(error && { error: error.message, error_code: error.code }),
  };
}
