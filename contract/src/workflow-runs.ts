import Type, { type Static } from "typebox";
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
} from "./fields.ts";
import { Tags, TRIGGER_TYPES } from "./runs.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf } from "./schema.ts";
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
  description: "`compensating`: it undoes what its completed steps have done, and then ends by its `error`.",
});

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
  created_by_id: ActorId,
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

export const Descendants = Type.Object(
  {
    in_flight: Type.Integer({
      description:
        "Job runs that were claimed before the stop: aborted by a cancel, run to their end by a pause. No other is claimed.",
    }),
    pending: Type.Integer({
      description:
        "Job runs that are held in the queue, and workflow runs below it whose own state is still to follow.",
    }),
  },
  { description: "What is below the workflow run, as the stop found it." },
);
export type Descendants = Static<typeof Descendants>;

export const StoppedWorkflowRun = answerObject(
  "StoppedWorkflowRun",
  { ...workflowRunFields, descendants: Descendants },
  "A workflow run that was canceled or paused, and what is below it.",
);

export const WorkflowRunList = listOf("WorkflowRunList", WorkflowRun);

export const ListWorkflowRunsQuery = Type.Object(
  {
    ...paging,
    parent_workflow_run_id: Type.Optional({ ...Id, description: "Those that steps of this workflow run started." }),
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
    workflow_run_ids: Type.Array(Id, {
      minItems: 1,
      maxItems: MAX_BULK_WORKFLOW_RUNS,
      description: "One that is named twice is taken once.",
    }),
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
  "What became of each workflow run, in the order they were first named.",
);
export type BulkCancelWorkflowRunsResult = Static<typeof BulkCancelWorkflowRunsResult>;

const { payload: _payload, ...runWithoutPayload } = workflowRunFields;
const { output: _output, ...stepWithoutOutput } = stepRunFields;

export const WorkflowRunState = answerObject(
  "WorkflowRunState",
  { run: Type.Object(runWithoutPayload), steps: Type.Array(Type.Object(stepWithoutOutput)) },
  "What `status` carries in the stream of a workflow run: the run without its payload, and its steps in the order of the definition, without their outputs.",
);
export type WorkflowRunState = Static<typeof WorkflowRunState>;
