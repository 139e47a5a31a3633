import Type, { type Static } from "typebox";
import { Tags, TRIGGER_TYPES } from "../runs/runs.ts";
import {
  ActorId,
  CreatedByFilter,
  createdWithin,
  EnvironmentRef,
  Id,
  PayloadContains,
  paging,
  statusFilter,
  TagFilter,
  Timestamp,
} from "../schema/fields.ts";
import { bodyObject, listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { Failure, stepRunFields } from "./step-runs.ts";

export const WORKFLOW_RUN_STATUSES = [
  "pending",
  "running",
  "paused",
  "completed",
  "failed",
  "timed_out",
  "canceled",
] as const;

export const Phase = Type.Unsafe<"compensating" | null>({
  type: ["string", "null"],
  enum: ["compensating", null],
  description: "`compensating`: the run is undoing its completed steps and will then end with its `error`.",
});

const workflowRunFields = {
  id: Id,
  project_id: Id,
  workflow_id: Id,
  version: Type.Integer({
    description: "The version it runs on: the one it was started with, unless it was migrated.",
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
  error_count: Type.Integer({ description: "Number of failed steps and failed compensations." }),
  error: Failure,
  trigger_type: oneOf(TRIGGER_TYPES),
  created_by: Type.String(),
  created_by_id: ActorId,
  schedule_id: nullable(Id),
  batch_id: nullable(Id),
  parent_workflow_run_id: nullable({ ...Id, description: "The workflow run whose step started this one." }),
  parent_step_ref: nullable(Type.String({ description: "That step, or `ref[index]` for a map item." })),
  root_workflow_run_id: nullable({
    ...Id,
    description: "The root of the tree of workflow runs. Null if this run is the root.",
  }),
  depth: Type.Integer({ description: "Number of workflow runs above it." }),
  timeout_secs: nullable(Type.Integer({ description: "Maximum duration, not counting paused time." })),
  scheduled_at: Timestamp,
  started_at: nullable(Timestamp),
  deadline: nullable(Timestamp),
  paused_at: nullable(Timestamp),
  finished_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const WorkflowRun = responseObject("WorkflowRun", workflowRunFields, "One durable execution of a workflow.");
export type WorkflowRun = Static<typeof WorkflowRun>;

export const Descendants = Type.Object(
  {
    in_flight: Type.Integer({
      description:
        "Job runs that were claimed before the request. A cancel aborts them; a pause lets them finish. No others are claimed.",
    }),
    pending: Type.Integer({
      description:
        "Job runs that are blocked in the queue, and workflow runs below it whose state has not been updated yet.",
    }),
  },
  { description: "Runs below the workflow run when it was canceled or paused." },
);
export type Descendants = Static<typeof Descendants>;

export const StoppedWorkflowRun = responseObject(
  "StoppedWorkflowRun",
  { ...workflowRunFields, descendants: Descendants },
  "A workflow run that was canceled or paused, and the runs below it.",
);

export const WorkflowRunList = listOf("WorkflowRunList", WorkflowRun);

export const ListWorkflowRunsQuery = Type.Object(
  {
    ...paging,
    parent_workflow_run_id: Type.Optional({
      ...Id,
      description: "Only workflow runs started by steps of this workflow run.",
    }),
    workflow_id: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: "Workflow id or slug." })),
    status: Type.Optional(statusFilter(WORKFLOW_RUN_STATUSES)),
    trigger_type: Type.Optional(oneOf(TRIGGER_TYPES)),
    created_by: Type.Optional(CreatedByFilter),
    environment_id: Type.Optional(EnvironmentRef),
    payload_contains: Type.Optional(PayloadContains),
    tag: Type.Optional(TagFilter),
    schedule_id: Type.Optional(Id),
    batch_id: Type.Optional(Id),
    ...createdWithin,
  },
  { additionalProperties: false },
);
export type ListWorkflowRunsQuery = Static<typeof ListWorkflowRunsQuery>;

const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  description: "Included in the `error` of the workflow run and of the runs it cancels.",
});

export const CancelWorkflowRun = bodyObject(
  "CancelWorkflowRun",
  { reason: Type.Optional(Reason) },
  "Cancels a workflow run.",
);
export type CancelWorkflowRun = Static<typeof CancelWorkflowRun>;

export const MAX_BULK_WORKFLOW_RUNS = 100;

export const BulkCancelWorkflowRuns = bodyObject(
  "BulkCancelWorkflowRuns",
  {
    workflow_run_ids: Type.Array(Id, {
      minItems: 1,
      maxItems: MAX_BULK_WORKFLOW_RUNS,
      description: "Duplicate ids are processed once.",
    }),
    reason: Type.Optional(Reason),
  },
  "Cancels up to 100 workflow runs.",
);
export type BulkCancelWorkflowRuns = Static<typeof BulkCancelWorkflowRuns>;

export const BulkCancelWorkflowRunsResult = responseObject(
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
  "The result for each workflow run, in the order of first appearance in the request.",
);
export type BulkCancelWorkflowRunsResult = Static<typeof BulkCancelWorkflowRunsResult>;

const { payload: _payload, ...runWithoutPayload } = workflowRunFields;
const { output: _output, ...stepWithoutOutput } = stepRunFields;

export const WorkflowRunState = responseObject(
  "WorkflowRunState",
  { run: Type.Object(runWithoutPayload), steps: Type.Array(Type.Object(stepWithoutOutput)) },
  "Data of a `status` event in a workflow run's stream: the run without its payload, and its steps in definition order without their outputs.",
);
export type WorkflowRunState = Static<typeof WorkflowRunState>;
