import {
  BatchItemList,
  BatchOperation,
  BatchOperationList,
  ListBatchItemsQuery,
  ListBatchOperationsQuery,
} from "@millrace/contract/batch-operations";
import { releaseBatchStops } from "../../flow/runs/stop/release-batch-stops.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import { cancelBatch } from "../../platform/batches/end-batch.ts";
import { type BatchRow, readBatch } from "../../platform/batches/read-batch.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage, readPageByNumber } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { listBatches, listItems } from "./queries.ts";

const foundBy = { table: "batch_operations", param: "batchOperationID" } as const;

export const batchOperationRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/batch-operations",
    summary: "List batch operations and their progress",
    scope: "runs:read",
    query: ListBatchOperationsQuery,
    response: BatchOperationList,
    run: (ctx, { query }) => listBatchOperations(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/batch-operations/{batchOperationID}",
    summary: "Get a batch operation and its progress",
    scope: "runs:read",
    foundBy,
    response: BatchOperation,
    run: (ctx, { params }) => getBatchOperation(ctx, params.batchOperationID),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/batch-operations/{batchOperationID}/items",
    summary: "List the items of a batch operation with their results",
    scope: "runs:read",
    foundBy,
    query: ListBatchItemsQuery,
    response: BatchItemList,
    run: (ctx, { params, query }) => listBatchItems(ctx, params.batchOperationID, query),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/batch-operations/{batchOperationID}/cancel",
    summary: "Cancel a batch operation: no further item is started",
    scope: "runs:write",
    foundBy,
    response: BatchOperation,
    errors: ["batch_operation_ended"],
    run: (ctx, { params }) => cancelBatchOperation(ctx, params.batchOperationID),
  }),
];

async function listBatchOperations(ctx: ProjectCtx, query: ListBatchOperationsQuery) {
  const page = readPage(ctx, "batch-operations", query, "b");
  return presentPage(ctx, page, await listBatches(ctx, page, query));
}

/** Ascending by default. */
async function listBatchItems(ctx: ProjectCtx, id: string, query: ListBatchItemsQuery) {
  const batch = await getBatchOperation(ctx, id);
  const requested = { order: "asc" as const, ...query };
  const page = readPageByNumber(ctx, `batch-operations/${batch.id}/items`, requested, "i.item_index");
  return presentPage(ctx, page, await listItems(ctx, batch.id, page, query.status));
}

/** Starts no further item. The current page finishes first, and completed items stay done. Idempotent. */
async function cancelBatchOperation(ctx: ProjectCtx, id: string): Promise<BatchRow> {
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

async function getBatchOperation(ctx: ProjectCtx, id: string): Promise<BatchRow> {
  const batch = await readBatch(ctx, id);
  if (!batch) throw notFound("batch operation");
  return batch;
}
