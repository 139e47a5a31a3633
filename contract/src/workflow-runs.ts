import Type, { type Static } from "typebox";
import {
  createdWithin,
  EnvironmentFilter,
  Id,
  PayloadContains,
  paging,
  statusFilter,
  TagFilter,
  Timestamp,
} from "./fields.ts";
import { Tags, TRIGGER_TYPES } from "./runs.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf } from "./schema.ts";

export const WORKFLOW_RUN_STATUSES = [
  "pending",
  "running",
  "paused",
  "completed",
  "failed",
  "timed_out",
  "canceled",
] as const;

export const STEP_RUN_STATUSES = [
  "pending",
  "running",
  "waiting",
  "completed",
  "failed",
  "skipped",
  "canceled",
] as const;

export const STEP_TYPES = ["job", "wait_for_event", "sleep", "approval", "map", "sub_workflow"] as const;

export const MAP_ITEM_STATUSES = ["pending", "running", "completed", "failed", "canceled"] as const;

export const STEP_CAUSES = [
  "condition",
  "dependency",
  "manual",
  "step_failed",
  "workflow_canceled",
  "workflow_timed_out",
] as const;

const Failure = nullable(
  Type.Object({
    code: Type.String({ description: "What went wrong, for programs." }),
    message: Type.String({ description: "What went wrong, for people." }),
  }),
);

const Cause = Type.Unsafe<(typeof STEP_CAUSES)[number] | null>({
  type: ["string", "null"],
  enum: [...STEP_CAUSES, null],
  description: "Why it was skipped or canceled.",
});

export const Phase = Type.Unsafe<"compensating" | null>({
  type: ["string", "null"],
  enum: ["compensating", null],
  description: "`compensating`: it undoes what its completed steps have done, and then ends by its `error`.",
});

const COMPENSATION_STATUSES = ["running", "completed", "failed"] as const;

export const compensationFields = {
  compensation_status: Type.Unsafe<(typeof COMPENSATION_STATUSES)[number] | null>({
    type: ["string", "null"],
    enum: [...COMPENSATION_STATUSES, null],
    description: "What became of its compensation. Null: it was not started.",
  }),
  compensation_run_id: nullable({ ...Id, description: "The run of its `compensate_job_id`." }),
  compensation_error: Failure,
  compensated_at: nullable(Timestamp),
};

const workflowRunFields = {
  id: Id,
  project_id: Id,
  workflow_id: Id,
  version: Type.Integer({
    description: "The version it runs on: the one it was started with, unless it was moved to another.",
  }),
  version_id: Id,
  environment_id: Id,
  status: oneOf(WORKFLOW_RUN_STATUSES),
  phase: Phase,
  payload: Type.Unknown(),
  tags: Tags,
  metadata: Type.Record(Type.String(), Type.Unknown()),
  routing_key: nullable(Type.String()),
  idempotency_key: nullable(Type.String()),
  error_count: Type.Integer({ description: "How many of its steps failed, and how many compensations." }),
  error: Failure,
  trigger_type: oneOf(TRIGGER_TYPES),
  created_by: Type.String(),
  schedule_id: nullable(Id),
  batch_id: nullable(Id),
  parent_workflow_run_id: nullable({ ...Id, description: "The workflow run whose step started it." }),
  parent_step_ref: nullable(Type.String({ description: "That step; of an item of a map `ref[index]`." })),
  root_workflow_run_id: nullable({ ...Id, description: "The first of its line. Null: it is the first itself." }),
  depth: Type.Integer({ description: "How many workflow runs stand above it." }),
  timeout_secs: nullable(Type.Integer({ description: "How long it may run; paused time does not count." })),
  scheduled_at: Timestamp,
  started_at: nullable(Timestamp),
  deadline: nullable(Timestamp),
  paused_at: nullable(Timestamp),
  finished_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const WorkflowRun = answerObject("WorkflowRun", workflowRunFields, "One durable execution of a workflow.");
export type WorkflowRun = Static<typeof WorkflowRun>;

export const WorkflowRunList = listOf("WorkflowRunList", WorkflowRun);

const stepRunFields = {
  id: Id,
  workflow_run_id: Id,
  step_ref: Type.String(),
  type: oneOf(STEP_TYPES),
  status: oneOf(STEP_RUN_STATUSES),
  generation: Type.Integer({ description: "Rises when the step is reset; what belongs to an older one is stale." }),
  output: Type.Unknown(),
  error: Failure,
  cause: Cause,
  cause_ref: nullable(Type.String({ description: "The step because of which." })),
  run_id: nullable(Id),
  event_trigger_id: nullable(Id),
  ...compensationFields,
  child_workflow_run_id: nullable({ ...Id, description: "The workflow run that a `sub_workflow` step started." }),
  started_at: nullable(Timestamp),
  finished_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const counted = Object.fromEntries(MAP_ITEM_STATUSES.map((status) => [status, Type.Integer()])) as Record<
  (typeof MAP_ITEM_STATUSES)[number],
  ReturnType<typeof Type.Integer>
>;

export const MapItemCounts = Type.Object(
  { total: Type.Integer(), ...counted },
  {
    description: "Of a `map` step that has started: how many of its items are where. Only when one step is asked for.",
  },
);
export type MapItemCounts = Static<typeof MapItemCounts>;

export const StepRun = answerObject(
  "StepRun",
  { ...stepRunFields, items: Type.Optional(MapItemCounts) },
  "A step of a workflow run.",
);
export type StepRun = Static<typeof StepRun>;

export const StepRunList = listOf("StepRunList", StepRun);

export const ListStepsQuery = Type.Object(paging, { additionalProperties: false });
export type ListStepsQuery = Static<typeof ListStepsQuery>;

export const MapItem = answerObject(
  "MapItem",
  {
    workflow_run_id: Id,
    step_ref: Type.String({ description: "`ref[index]`, as its run has it." }),
    item_index: Type.Integer(),
    generation: Type.Integer({ description: "Of the step, when the item was last to be started." }),
    status: oneOf(MAP_ITEM_STATUSES),
    item: Type.Unknown(),
    output: Type.Unknown(),
    error: Failure,
    run_id: nullable(Id),
    child_workflow_run_id: nullable(Id),
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "An item of a map step.",
);
export type MapItem = Static<typeof MapItem>;

export const MapItemList = listOf("MapItemList", MapItem);

export const ListMapItemsQuery = Type.Object(
  { ...paging, status: Type.Optional(statusFilter(MAP_ITEM_STATUSES)) },
  { additionalProperties: false },
);
export type ListMapItemsQuery = Static<typeof ListMapItemsQuery>;

export const ListWorkflowRunsQuery = Type.Object(
  {
    ...paging,
    parent_workflow_run_id: Type.Optional({ ...Id, description: "Those that steps of this workflow run started." }),
    workflow_id: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: "Workflow id or slug." })),
    status: Type.Optional(statusFilter(WORKFLOW_RUN_STATUSES)),
    trigger_type: Type.Optional(oneOf(TRIGGER_TYPES)),
    created_by: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    environment_id: Type.Optional(EnvironmentFilter),
    payload_contains: Type.Optional(PayloadContains),
    tag: Type.Optional(TagFilter),
    schedule_id: Type.Optional(Id),
    batch_id: Type.Optional(Id),
    ...createdWithin,
  },
  { additionalProperties: false },
);
export type ListWorkflowRunsQuery = Static<typeof ListWorkflowRunsQuery>;

const Reason = Type.String({ minLength: 1, maxLength: 500, description: "Told in the `error` of what it ends." });

export const CancelWorkflowRun = bodyObject(
  "CancelWorkflowRun",
  { reason: Type.Optional(Reason) },
  "Why the workflow run is canceled.",
);
export type CancelWorkflowRun = Static<typeof CancelWorkflowRun>;

export const MAX_BULK_WORKFLOW_RUNS = 100;

export const BulkCancelWorkflowRuns = bodyObject(
  "BulkCancelWorkflowRuns",
  {
    workflow_run_ids: Type.Array(Id, { minItems: 1, maxItems: MAX_BULK_WORKFLOW_RUNS, uniqueItems: true }),
    reason: Type.Optional(Reason),
  },
  "Up to 100 workflow runs to cancel.",
);
export type BulkCancelWorkflowRuns = Static<typeof BulkCancelWorkflowRuns>;

export const BulkCancelWorkflowRunsResult = answerObject(
  "BulkCancelWorkflowRunsResult",
  {
    batch_id: Id,
    results: Type.Array(
      Type.Object({
        index: Type.Integer(),
        workflow_run_id: Id,
        status: oneOf(["canceled", "failed"]),
        error: Failure,
      }),
    ),
  },
  "What became of each workflow run, in the order they were sent.",
);
export type BulkCancelWorkflowRunsResult = Static<typeof BulkCancelWorkflowRunsResult>;

export const DecideApproval = bodyObject(
  "DecideApproval",
  {
    comment: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_000, description: "Kept with the decision, for those who read it." }),
    ),
  },
  "What is said with the decision.",
);
export type DecideApproval = Static<typeof DecideApproval>;

export const SkipStep = bodyObject(
  "SkipStep",
  { reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: "Kept in `explain`." })) },
  "Why the step is skipped.",
);
export type SkipStep = Static<typeof SkipStep>;

const { payload: _payload, ...runWithoutPayload } = workflowRunFields;
const { output: _output, ...stepWithoutOutput } = stepRunFields;

export const WorkflowRunState = answerObject(
  "WorkflowRunState",
  { run: Type.Object(runWithoutPayload), steps: Type.Array(Type.Object(stepWithoutOutput)) },
  "What `status` carries in the stream of a workflow run: the run without its payload, and its steps in the order of the definition, without their outputs.",
);
export type WorkflowRunState = Static<typeof WorkflowRunState>;
