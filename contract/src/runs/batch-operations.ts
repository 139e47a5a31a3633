import Type, { type Static } from "typebox";
import { ActorId, EnvironmentRef, Id, paging, statusFilter, Timestamp } from "../schema/fields.ts";
import { listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";

export const BATCH_STATUSES = ["pending", "running", "completed", "failed", "canceled"] as const;
export const BATCH_KINDS = [
  "trigger",
  "cancel",
  "cancel_all",
  "replay",
  "dlq_replay",
  "cancel_workflow_runs",
  "migrate_workflow_runs",
  "webhook_retry",
  "schedule_backfill",
] as const;
export type BatchKind = (typeof BATCH_KINDS)[number];
export const BATCH_ITEM_STATUSES = ["succeeded", "failed", "skipped"] as const;

export const BatchOperation = responseObject(
  "BatchOperation",
  {
    id: Id,
    project_id: Id,
    kind: Type.String({ description: `The action applied to each item: ${BATCH_KINDS.join(", ")}.` }),
    status: oneOf(BATCH_STATUSES),
    request: Type.Unknown({ description: "The request that started the operation." }),
    total: Type.Integer({
      description:
        "Number of items. With a filter: an estimate from the start of the operation (0 if it could not be counted in time), exact once it has ended.",
    }),
    processed: Type.Integer({ description: "`succeeded` + `failed` + `skipped`." }),
    succeeded: Type.Integer(),
    failed: Type.Integer(),
    skipped: Type.Integer({ description: "Items that needed no action when they were processed." }),
    percent: Type.Integer({ description: "Progress. 100 when the operation is completed." }),
    error: nullable(Type.String({ description: "Why the operation failed as a whole." })),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  "A bulk request and its progress.",
);
export type BatchOperation = Static<typeof BatchOperation>;

export const BatchOperationList = listOf("BatchOperationList", BatchOperation);

export const ListBatchOperationsQuery = Type.Object(
  {
    ...paging,
    status: Type.Optional(statusFilter(BATCH_STATUSES)),
    kind: Type.Optional(oneOf(BATCH_KINDS)),
    environment_id: Type.Optional(EnvironmentRef),
  },
  { additionalProperties: false },
);
export type ListBatchOperationsQuery = Static<typeof ListBatchOperationsQuery>;

export const BatchItem = responseObject(
  "BatchItem",
  {
    batch_id: Id,
    index: Type.Integer({ description: "Position of the item: in the request, or in processing order." }),
    target_id: nullable(Type.String({ description: "The run or workflow run that was acted on." })),
    status: oneOf(BATCH_ITEM_STATUSES),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    detail: Type.Unknown({ description: "Result details, for example the run created by a replay." }),
    created_at: Timestamp,
  },
  "The result of one item.",
);
export type BatchItem = Static<typeof BatchItem>;

export const BatchItemList = listOf("BatchItemList", BatchItem);

export const ListBatchItemsQuery = Type.Object(
  {
    ...paging,
    order: Type.Optional(oneOf(["asc", "desc"], "By `index`. Default: ascending.")),
    status: Type.Optional(statusFilter(BATCH_ITEM_STATUSES)),
  },
  { additionalProperties: false },
);
export type ListBatchItemsQuery = Static<typeof ListBatchItemsQuery>;
