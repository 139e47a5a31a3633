import {
  BatchItemList,
  BatchOperation,
  BatchOperationList,
  ListBatchItemsQuery,
  ListBatchOperationsQuery,
} from "@millrace/contract/batch-operations";
import { projectRoute, type Route } from "../../platform/route.ts";
import { cancelBatchOperation } from "./cancel-batch-operation.ts";
import { getBatchOperation } from "./get-batch-operation.ts";
import { listBatchItems } from "./list-batch-items.ts";
import { listBatchOperations } from "./list-batch-operations.ts";

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
