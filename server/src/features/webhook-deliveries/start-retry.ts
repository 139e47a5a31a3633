import { withDeniesToo } from "../../platform/access/policies/policies.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import { type BatchRow, readBatch } from "../../platform/batches/read-batch.ts";
import { trackBatch } from "../../platform/batches/track-batch.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { type DeliveryFilter, wanted } from "./queries.ts";

export const RETRY_BATCH = "webhook_retry";
export const RETRY_BATCH_TOPIC = "webhook-retries";

/** Creates a batch that retries all matching failed deliveries in the background, and returns it. */
export async function startRetry(callerCtx: ProjectCtx, filter: DeliveryFilter): Promise<BatchRow> {
  const ctx = await withDeniesToo(callerCtx, "webhooks:read");
  const total = await countFailed(ctx, filter);
  const ordered = await inTransaction(ctx, async (tx) => {
    const batch_id = await trackBatch(tx, { kind: RETRY_BATCH, total, request: { filter }, is_background: true });
    await auditRetries(tx, batch_id, { filter, total });
    tx.afterCommit(({ metrics }) => metrics.bulkOperations.inc());
    wake(tx, RETRY_BATCH_TOPIC);
    return readBatch(tx, batch_id);
  });
  if (!ordered) throw notFound("batch operation");
  return ordered;
}

/** One event for the whole call; the batch operation holds the outcome of each delivery. */
export function auditRetries(tx: ProjectCtx & InTransaction, batch_id: string, after: object): Promise<void> {
  return recordAudit(tx, {
    action: "webhook_delivery.bulk_retried",
    resource_type: "batch_operation",
    resource_id: batch_id,
    after,
  });
}

async function countFailed(ctx: ProjectCtx, filter: DeliveryFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhook_deliveries d
    where d.project_id = ${ctx.project_id} and d.status = 'failed' and ${visible(ctx, "webhook_deliveries", "d")}
      ${wanted(ctx, filter)}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}
