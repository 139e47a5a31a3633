import Type, { type Static } from "typebox";
import { Id, paging, Timestamp } from "./fields.ts";
import { ProblemError } from "./problem.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf, refTo } from "./schema.ts";
import { STEP_TYPES, StepRun } from "./step-runs.ts";
import { MAX_STEPS, StepInput } from "./workflow-steps.ts";

const Count = Type.Integer({ minimum: 0 });
const StepRefs = Type.Array(Type.String());
const VersionNumber = Type.Integer({ minimum: 1 });
const VersionId = { ...Id, description: "Of a version of the workflow. Absent: the current one." };

export const ActiveVersion = answerObject(
  "ActiveVersion",
  {
    version_id: Id,
    version: VersionNumber,
    is_current: Type.Boolean({ description: "New runs take it." }),
    active_runs: { ...Count, description: "Those below together." },
    pending: Count,
    running: Count,
    paused: Count,
    created_at: Timestamp,
  },
  "A version of a workflow with runs that have not ended.",
);
export type ActiveVersion = Static<typeof ActiveVersion>;
export const ActiveVersionList = listOf("ActiveVersionList", ActiveVersion);

export const ListActiveVersionsQuery = Type.Object(paging, { additionalProperties: false });
export type ListActiveVersionsQuery = Static<typeof ListActiveVersionsQuery>;

export const PlanWorkflow = bodyObject(
  "PlanWorkflow",
  {
    version_id: Type.Optional(VersionId),
    steps: Type.Optional(
      Type.Unsafe<StepInput[]>({
        type: "array",
        minItems: 1,
        maxItems: MAX_STEPS,
        items: refTo(StepInput),
        description: "In place of all steps of the version, as a PATCH would take them.",
      }),
    ),
    step_overrides: Type.Optional(
      Type.Unsafe<StepInput[]>({
        type: "array",
        maxItems: MAX_STEPS,
        items: refTo(StepInput),
        description: "Fields that are laid over those of the step with the same `step_ref`.",
      }),
    ),
  },
  "What to plan: nothing said, the current version as it is.",
);
export type PlanWorkflow = Static<typeof PlanWorkflow>;

const PlannedStep = Type.Object({
  step_ref: Type.String(),
  type: oneOf(STEP_TYPES),
  depends_on: StepRefs,
  wave: nullable(Type.Integer({ minimum: 1, description: "Null: in or behind a cycle." })),
  estimate_ms: nullable(
    Type.Integer({
      minimum: 0,
      description:
        "The median of its last 100 completed runs in this version. Null: there were fewer than 5, or it does something else now.",
    }),
  ),
});

export const WorkflowPlan = answerObject(
  "WorkflowPlan",
  {
    workflow_id: Id,
    version_id: { ...Id, description: "What the plan began with." },
    version: VersionNumber,
    is_overridden: Type.Boolean({ description: "Steps were given that differ from the version's." }),
    is_valid: Type.Boolean({ description: "It could be saved: there are neither faults nor violations." }),
    step_count: Count,
    order: { ...StepRefs, description: "Every step behind those it depends on." },
    waves: Type.Array(StepRefs, { description: "Steps of a wave could start when the waves before have ended." }),
    steps: Type.Array(PlannedStep),
    critical_path: nullable(
      Type.Object(
        {
          step_refs: StepRefs,
          estimate_ms: nullable({ ...Count, description: "Null while a step has no estimate." }),
          unestimated: StepRefs,
        },
        { description: "The chain of steps that decides how long a run takes. Null: there are faults." },
      ),
    ),
    policy_violations: Type.Array(ProblemError),
    faults: Type.Array(ProblemError, { description: "Why a save would be refused, the policy aside." }),
  },
  "In which order the steps of a workflow go. Nothing is changed.",
);
export type WorkflowPlan = Static<typeof WorkflowPlan>;

const Outcome = Type.Object(
  { status: Type.Optional(oneOf(["completed", "failed"])), output: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
);

export const SimulateWorkflow = bodyObject(
  "SimulateWorkflow",
  {
    version_id: Type.Optional(VersionId),
    payload: Type.Optional(Type.Unknown({ description: "With one, the branches are told that a run with it takes." })),
    outcomes: Type.Optional(
      Type.Record(Type.String(), Outcome, {
        description: "By `step_ref`, what a step comes to. Not named: completed, with the output null.",
      }),
    ),
  },
  "A workflow run to think through.",
);
export type SimulateWorkflow = Static<typeof SimulateWorkflow>;

const { status, cause, cause_ref, error } = StepRun.properties;

const SimulatedStep = Type.Object({
  step_ref: Type.String(),
  status,
  cause,
  cause_ref,
  error,
  condition: nullable(Type.Boolean({ description: "What its condition gave. Null: it has none, or was not asked." })),
  round: nullable(
    Type.Integer({ minimum: 1, description: "When it is started; steps of a round run together. Null: it is not." }),
  ),
  reason: nullable(Type.String()),
});

export const WorkflowSimulation = answerObject(
  "WorkflowSimulation",
  {
    workflow_id: Id,
    version_id: Id,
    version: VersionNumber,
    step_count: Count,
    predicted_order: { ...StepRefs, description: "All steps, each behind those it depends on." },
    branches: nullable(
      Type.Object(
        {
          status: oneOf(["completed", "failed"]),
          error,
          error_count: Count,
          order: { ...StepRefs, description: "The steps that are started." },
          compensations: { ...StepRefs, description: "The steps that are undone before the run ends, in that order." },
          steps: Type.Array(SimulatedStep),
        },
        { description: "What becomes of a run, by the planner that real runs have. Null: no payload was given." },
      ),
    ),
  },
  "How a run would go. Nothing is started.",
);
export type WorkflowSimulation = Static<typeof WorkflowSimulation>;

const FieldChange = Type.Object({ field: Type.String(), old: Type.Unknown(), new: Type.Unknown() });

export const WorkflowDiff = answerObject(
  "WorkflowDiff",
  {
    workflow_id: Id,
    from_version_id: Id,
    from_version: VersionNumber,
    to_version_id: Id,
    to_version: VersionNumber,
    added: { ...StepRefs, description: "Steps that only the second has." },
    removed: { ...StepRefs, description: "Steps that only the first has." },
    changed: Type.Array(Type.Object({ step_ref: Type.String(), changes: Type.Array(FieldChange) })),
    changed_settings: Type.Array(FieldChange, {
      description: "Of `timeout_secs`, `max_parallel_steps`, `payload_schema`.",
    }),
  },
  "What differs between two versions of a workflow.",
);
export type WorkflowDiff = Static<typeof WorkflowDiff>;

const Quartiles = nullable(
  Type.Object({
    p5_ms: Count,
    p25_ms: Count,
    p50_ms: Count,
    p75_ms: Count,
    p95_ms: Count,
  }),
);

const StepImpact = Type.Object({
  step_ref: Type.String(),
  type: oneOf(STEP_TYPES),
  reached: { ...Count, description: "Runs in which it was started." },
  completed: Count,
  failed: Count,
  open: { ...Count, description: "Runs in which it was started and has not ended." },
  skipped: Count,
  canceled: { ...Count, description: "Also where it had not been started." },
  durations: { ...Quartiles, description: "Of those that completed. Null: none has." },
});
export type StepImpact = Static<typeof StepImpact>;

export const VersionImpact = answerObject(
  "VersionImpact",
  {
    workflow_id: Id,
    version_id: Id,
    version: VersionNumber,
    sampled_runs: { ...Count, description: "The newest runs of the workflow that were looked at, at most 1000." },
    matching_runs: { ...Count, description: "Those among them that run, or ran, this version." },
    active_matching_runs: { ...Count, description: "Those among these that have not ended." },
    steps_of_runs: {
      ...Count,
      description: "The newest of the matching runs whose steps are told below, at most 200.",
    },
    steps: Type.Array(StepImpact, { description: "In the order of the definition." }),
  },
  "How much of what a workflow does is on one version.",
);
export type VersionImpact = Static<typeof VersionImpact>;
