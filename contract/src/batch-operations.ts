import Type, { type Static } from "typebox";
import { ActorId, Id, paging, statusFilter, Timestamp } from "./fields.ts";
import { answerObject, listOf, nullable, oneOf } from "./schema.ts";

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
] as const;
export type BatchKind = (typeof BATCH_KINDS)[number];
export const BATCH_ITEM_STATUSES = ["succeeded", "failed", "skipped"] as const;

export const BatchOperation = answerObject(
  "BatchOperation",
  {
    id: Id,
    project_id: Id,
    kind: Type.String({ description: `What is done to each item: ${BATCH_KINDS.join(", ")}.` }),
    status: oneOf(BATCH_STATUSES),
    request: Type.Unknown({ description: "What was asked for." }),
    total: Type.Integer({
      description: "Items it has. With a filter: as counted at its start (0: not in time), exact at its end.",
    }),
    processed: Type.Integer({ description: "`succeeded` + `failed` + `skipped`." }),
    succeeded: Type.Integer(),
    failed: Type.Integer(),
    skipped: Type.Integer({ description: "Items that needed nothing any more when their turn came." }),
    percent: Type.Integer({ description: "How far it has come. 100 when it is completed." }),
    error: nullable(Type.String({ description: "Why the whole was given up." })),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  "A bulk call and how far it has come.",
);
export type BatchOperation = Static<typeof BatchOperation>;

export const BatchOperationList = listOf("BatchOperationList", BatchOperation);

export const ListBatchOperationsQuery = Type.Object(
  {
    ...paging,
    status: Type.Optional(statusFilter(BATCH_STATUSES)),
    kind: Type.Optional(oneOf(BATCH_KINDS)),
  },
  { additionalProperties: false },
);
export type ListBatchOperationsQuery = Static<typeof ListBatchOperationsQuery>;

export const BatchItem = answerObject(
  "BatchItem",
  {
    batch_id: Id,
    index: Type.Integer({ description: "Its place: in the request, or in the order in which items were done." }),
    target_id: nullable(Type.String({ description: "What was acted on: a run, or a workflow run." })),
    status: oneOf(BATCH_ITEM_STATUSES),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    detail: Type.Unknown({ description: "What came of it, such as the run that a replay made." }),
    created_at: Timestamp,
  },
  "What became of one item.",
);
export type BatchItem = Static<typeof BatchItem>;

export const BatchItemList = listOf("BatchItemList", BatchItem);

export const ListBatchItemsQuery = Type.Object(
  {
    ...paging,
    order: Type.Optional(oneOf(["asc", "desc"], "By `index`, from the first unless `desc`.")),
    status: Type.Optional(statusFilter(BATCH_ITEM_STATUSES)),
  },
  { additionalProperties: false },
);
export type ListBatchItemsQuery = Static<typeof ListBatchItemsQuery>;
