import Type, { type Static } from "typebox";
import { ActorId, Id, paging, Timestamp } from "../schema/fields.ts";
import { listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { compensationFields, StepRun } from "./step-runs.ts";
import { Phase, WORKFLOW_RUN_STATUSES } from "./workflow-runs.ts";

const { step_ref, type, status, generation, error, cause, cause_ref, run_id, event_trigger_id, message } =
  StepRun.properties;

const Milliseconds = Type.Integer({ minimum: 0 });
const StepRefs = Type.Array(Type.String());

const GraphNode = Type.Object({
  step_ref,
  type,
  status,
  generation,
  error,
  cause,
  cause_ref,
  run_id,
  event_trigger_id,
  message,
  ...compensationFields,
  started_at: nullable(Timestamp),
  finished_at: nullable(Timestamp),
  duration_ms: nullable(
    Type.Integer({ description: "From start to end, or until now. Null if it has not started.", minimum: 0 }),
  ),
  estimate_ms: nullable(
    Type.Integer({
      minimum: 0,
      description: "Median of its last 100 completed runs in this version. Null if there were fewer than 5.",
    }),
  ),
});

const CriticalPath = Type.Object(
  {
    basis: oneOf(
      ["estimates", "durations"],
      "`durations` once the workflow run has ended: the actual durations of its steps.",
    ),
    step_refs: StepRefs,
    estimate_ms: nullable({
      ...Milliseconds,
      description: "Length of the path. Null while a step that has not ended has no estimate.",
    }),
    remaining_ms: nullable({
      ...Milliseconds,
      description: "Estimated time until the workflow run ends, along the longest path. Null when `estimate_ms` is.",
    }),
    unestimated: Type.Array(Type.String(), { description: "Steps that have not ended and have no estimate." }),
  },
  { description: "The chain of steps that determines the duration of the workflow run." },
);

export const WorkflowGraph = responseObject(
  "WorkflowGraph",
  {
    workflow_run_id: Id,
    workflow_id: Id,
    version_id: Id,
    version: Type.Integer(),
    status: oneOf(WORKFLOW_RUN_STATUSES),
    phase: Phase,
    nodes: Type.Array(GraphNode, { description: "In definition order." }),
    edges: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
      description: "`to` depends on `from`.",
    }),
    runnable: Type.Array(Type.String(), {
      description:
        "Pending steps whose dependencies are all done, in start order. While the run is pending or paused, they wait for it; once it has ended, there are none.",
    }),
    critical_path: CriticalPath,
  },
  "The current state of a workflow run as a graph.",
);
export type WorkflowGraph = Static<typeof WorkflowGraph>;

export const DECISION_TYPES = [
  "start",
  "condition",
  "skip",
  "fail",
  "hold",
  "wait",
  "event",
  "complete",
  "emit",
  "cancel",
  "retry",
  "approve",
  "reject",
  "pause",
  "resume",
  "migrate",
  "compensate",
  "end",
] as const;

export const WorkflowDecision = responseObject(
  "WorkflowDecision",
  {
    workflow_run_id: Id,
    ordinal: Type.Integer({ description: "Position of the decision in the workflow run, starting at 1." }),
    step_ref: nullable(Type.String({ description: "Null if it concerns the workflow run itself." })),
    decision_type: oneOf(DECISION_TYPES),
    reason: Type.String({ description: "The reason in one sentence." }),
    detail: Type.Unknown({ description: "Further details, or null." }),
    decided_by: nullable(
      Type.String({ description: "Name of the actor that decided. Null if it followed from the workflow definition." }),
    ),
    decided_by_id: ActorId,
    created_at: Timestamp,
  },
  "A decision about a workflow run, recorded when it was made.",
);
export type WorkflowDecision = Static<typeof WorkflowDecision>;
export const WorkflowDecisionList = listOf("WorkflowDecisionList", WorkflowDecision);

export const ExplainQuery = Type.Object(
  {
    ...paging,
    step_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    decision_type: Type.Optional(oneOf(DECISION_TYPES)),
  },
  { additionalProperties: false },
);
export type ExplainQuery = Static<typeof ExplainQuery>;
