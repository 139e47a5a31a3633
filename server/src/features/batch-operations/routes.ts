import {
  type BatchItem,
  BatchItemList,
  BatchOperation,
  BatchOperationList,
  ListBatchItemsQuery,
  ListBatchOperationsQuery,
} from "@millrace/contract/runs/batch-operations";
import { releaseBatchStops } from "../../flow/runs/stop/release-batch-stops.ts";
import { environmentNamed } from "../../platform/access/environments.ts";
import { withAccess } from "../../platform/access/policies/policies.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import { cancelBatch } from "../../platform/batches/end-batch.ts";
import { BATCH_COLUMNS, type BatchRow, readBatch } from "../../platform/batches/read-batch.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { type Page, presentPage, readPage, readPageByNumber } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";

const foundBy = { table: "batch_operations", param: "batchOperationID" } as const;

export const batchOperationRoutes: Route[] = [
  projectRoute("GET /v1/batch-operations", {
    summary: "List batch operations and their progress",
    scope: "runs:read",
    query: ListBatchOperationsQuery,
    response: BatchOperationList,
    run: (ctx, { query }) => listBatchOperations(ctx, query),
  }),
  projectRoute("GET /v1/batch-operations/{batchOperationID}", {
    summary: "Get a batch operation and its progress",
    scope: "runs:read",
    foundBy,
    response: BatchOperation,
    run: (ctx, { params }) => getBatchOperation(ctx, params.batchOperationID),
  }),
  projectRoute("GET /v1/batch-operations/{batchOperationID}/items", {
    summary: "List the items of a batch operation with their results",
    scope: "runs:read",
    foundBy,
    query: ListBatchItemsQuery,
    response: BatchItemList,
    run: (ctx, { params, query }) => listBatchItems(ctx, params.batchOperationID, query),
  }),
  projectRoute("POST /v1/batch-operations/{batchOperationID}/cancel", {
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

type BatchFilter = { status?: string; kind?: string; environment_id?: string };

async function listBatches(ctx: ProjectCtx, page: Page, filter: BatchFilter): Promise<BatchRow[]> {
  const { status, kind, environment_id } = filter;
  const { rows } = await sql<BatchRow>`
    select ${BATCH_COLUMNS} from batch_operations b
    where b.project_id = ${ctx.project_id} and ${visible(ctx, "batch_operations", "b")}
      ${status === undefined ? sql`` : sql`and b.status = any(${status.split(",")}::text[])`}
      ${kind === undefined ? sql`` : sql`and b.kind = ${kind}`}
      ${environment_id === undefined ? sql`` : ofEnvironmentOrNone(ctx, environment_id)}
      ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** A batch without an environment, as of every caller that is bound to none, may have items in any. */
function ofEnvironmentOrNone(ctx: ProjectCtx, ref: string): Sql {
  return sql`and (b.environment_id is null or b.environment_id in (
    select e.id from environments e where e.project_id = ${ctx.project_id} and ${environmentNamed(ref)}))`;
}

/** The id is the item number as text: page cursors use it. */
type ItemRow = Omit<BatchItem, "$schema"> & { id: string };

async function listItems(
  ctx: ProjectCtx,
  batch_id: string,
  page: Page,
  status: string | undefined,
): Promise<ItemRow[]> {
  const { rows } = await sql<ItemRow>`
    select i.batch_id, i.item_index as index, i.target_id, i.status, i.detail, i.created_at,
      case when i.error is not null
        then jsonb_build_object('code', coalesce(i.error_code, 'failed'), 'message', i.error) end as error,
      i.item_index::text as id
    from batch_items i
    where i.project_id = ${ctx.project_id} and i.batch_id = ${batch_id} and ${await targetVisible(ctx)}
      ${status === undefined ? sql`` : sql`and i.status = any(${status.split(",")}::text[])`}
      ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** Hides items whose target the caller may not read. For a removed target, only its id is left to show. */
async function targetVisible(ctx: ProjectCtx): Promise<Sql> {
  const [workflows, webhooks] = [await withAccess(ctx, "workflows:read"), await withAccess(ctx, "webhooks:read")];
  const id = sql`case when i.target_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then i.target_id::uuid end`;
  return sql`not exists (select 1 from runs r where r.project_id = i.project_id and r.id = ${id}
      and not ${visible(ctx, "runs", "r")})
    and not exists (select 1 from workflow_runs w where w.project_id = i.project_id and w.id = ${id}
      and not ${visible(workflows, "workflow_runs", "w")})
    and not exists (select 1 from webhook_deliveries d where d.project_id = i.project_id and d.id = ${id}
      and not ${visible(webhooks, "webhook_deliveries", "d")})`;
}
