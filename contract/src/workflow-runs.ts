import Type, { type Static } from "typebox";
import { createdWithin, Id, paging, statusFilter, TagFilter, Timestamp } from "./fields.ts";
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

export const STEP_TYPES = ["job", "wait_for_event", "sleep", "approval"] as const;

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

const Phase = Type.Unsafe<"compensating" | null>({ type: ["string", "null"], enum: ["compensating", null] });

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
  error_count: Type.Integer({ description: "How many of its steps failed." }),
  error: Failure,
  trigger_type: oneOf(TRIGGER_TYPES),
  created_by: Type.String(),
  schedule_id: nullable(Id),
  batch_id: nullable(Id),
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
  started_at: nullable(Timestamp),
  finished_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const StepRun = answerObject("StepRun", stepRunFields, "A step of a workflow run.");
export type StepRun = Static<typeof StepRun>;

export const StepRunList = listOf("StepRunList", StepRun);

export const ListStepsQuery = Type.Object(paging, { additionalProperties: false });
export type ListStepsQuery = Static<typeof ListStepsQuery>;

export const ListWorkflowRunsQuery = Type.Object(
  {
    ...paging,
    workflow_id: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: "Workflow id or slug." })),
    status: Type.Optional(statusFilter(WORKFLOW_RUN_STATUSES)),
    trigger_type: Type.Optional(oneOf(TRIGGER_TYPES)),
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
