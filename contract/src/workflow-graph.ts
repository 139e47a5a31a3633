import Type, { type Static } from "typebox";
import { ActorId, Id, paging, Timestamp } from "./fields.ts";
import { answerObject, listOf, nullable, oneOf } from "./schema.ts";
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
    Type.Integer({ description: "From start to end, or until now. Null: it has not started.", minimum: 0 }),
  ),
  estimate_ms: nullable(
    Type.Integer({
      minimum: 0,
      description: "The median of its last 100 completed runs in this version. Null: there were fewer than 5.",
    }),
  ),
});

const CriticalPath = Type.Object(
  {
    basis: oneOf(
      ["estimates", "durations"],
      "`durations` once the workflow run has ended: what its steps really took.",
    ),
    step_refs: StepRefs,
    estimate_ms: nullable({
      ...Milliseconds,
      description: "How long the path is. Null while a step that has not ended has no estimate.",
    }),
    remaining_ms: nullable({
      ...Milliseconds,
      description: "How long the workflow run still takes, by the longest way to its end. Null as `estimate_ms`.",
    }),
    unestimated: Type.Array(Type.String(), { description: "Steps that have not ended and have no estimate." }),
  },
  { description: "The chain of steps that decides how long the workflow run takes." },
);

export const WorkflowGraph = answerObject(
  "WorkflowGraph",
  {
    workflow_run_id: Id,
    workflow_id: Id,
    version_id: Id,
    version: Type.Integer(),
    status: oneOf(WORKFLOW_RUN_STATUSES),
    phase: Phase,
    nodes: Type.Array(GraphNode, { description: "In the order of the definition." }),
    edges: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
      description: "`to` depends on `from`.",
    }),
    runnable: Type.Array(Type.String(), {
      description:
        "Pending steps of which all that they depend on is done, in the order in which they start. While the run is pending or paused they wait for it; once it has ended there are none.",
    }),
    critical_path: CriticalPath,
  },
  "A workflow run as a graph, as it stands.",
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

export const WorkflowDecision = answerObject(
  "WorkflowDecision",
  {
    workflow_run_id: Id,
    ordinal: Type.Integer({ description: "Numbers the decisions of a workflow run from 1." }),
    step_ref: nullable(Type.String({ description: "Null: about the workflow run itself." })),
    decision_type: oneOf(DECISION_TYPES),
    reason: Type.String({ description: "Why, in a sentence." }),
    detail: Type.Unknown({ description: "What else is known of it, or null." }),
    decided_by: nullable(Type.String({ description: "Who decided it. Null: it followed from the workflow itself." })),
    decided_by_id: ActorId,
    created_at: Timestamp,
  },
  "Something that was decided about a workflow run, stored as it was decided.",
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
