import Type, { type Static } from "typebox";
import { Id, paging, Timestamp } from "../schema/fields.ts";
import { ProblemError } from "../schema/problem.ts";
import { bodyObject, listOf, nullable, oneOf, refTo, responseObject } from "../schema/schema.ts";
import { STEP_TYPES, StepRun } from "./step-runs.ts";
import { MAX_STEPS, StepInput } from "./workflow-steps.ts";

const Count = Type.Integer({ minimum: 0 });
const StepRefs = Type.Array(Type.String());
const VersionNumber = Type.Integer({ minimum: 1 });
const VersionId = { ...Id, description: "A version of the workflow. Default: the current version." };

export const ActiveVersion = responseObject(
  "ActiveVersion",
  {
    version_id: Id,
    version: VersionNumber,
    is_current: Type.Boolean({ description: "New runs use this version." }),
    active_runs: { ...Count, description: "Sum of the counts below." },
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

const DraftSteps = Type.Unsafe<StepInput[]>({
  type: "array",
  minItems: 1,
  maxItems: MAX_STEPS,
  items: refTo(StepInput),
  description: "Replaces all steps of the version, like a PATCH.",
});

export const PlanWorkflow = bodyObject(
  "PlanWorkflow",
  {
    version_id: Type.Optional(VersionId),
    steps: Type.Optional(DraftSteps),
    step_overrides: Type.Optional(
      Type.Unsafe<StepInput[]>({
        type: "array",
        maxItems: MAX_STEPS,
        items: refTo(StepInput),
        description: "Fields to merge over the step with the same `step_ref`.",
      }),
    ),
  },
  "What to plan. Default: the current version unchanged.",
);
export type PlanWorkflow = Static<typeof PlanWorkflow>;

const PlannedStep = Type.Object({
  step_ref: Type.String(),
  type: oneOf(STEP_TYPES),
  depends_on: StepRefs,
  wave: nullable(Type.Integer({ minimum: 1, description: "Null if the step is part of a cycle or depends on one." })),
  estimate_ms: nullable(
    Type.Integer({
      minimum: 0,
      description:
        "Median of its last 100 completed runs in this version. Null if there were fewer than 5, or the step was changed.",
    }),
  ),
});

export const WorkflowPlan = responseObject(
  "WorkflowPlan",
  {
    workflow_id: Id,
    version_id: { ...Id, description: "The version that the plan is based on." },
    version: VersionNumber,
    is_overridden: Type.Boolean({ description: "Whether the given steps differ from those of the version." }),
    is_valid: Type.Boolean({
      description: "Whether it could be saved: there are no validation errors and no policy violations.",
    }),
    step_count: Count,
    order: { ...StepRefs, description: "Topological order: every step after the steps it depends on." },
    waves: Type.Array(StepRefs, { description: "Steps of a wave can start when the previous waves have ended." }),
    steps: Type.Array(PlannedStep),
    critical_path: nullable(
      Type.Object(
        {
          step_refs: StepRefs,
          estimate_ms: nullable({ ...Count, description: "Null while a step has no estimate." }),
          unestimated: StepRefs,
        },
        {
          description: "The chain of steps that determines the duration of a run. Null if there are validation errors.",
        },
      ),
    ),
    policy_violations: Type.Array(ProblemError),
    issues: Type.Array(ProblemError, {
      description: "Validation errors that would prevent saving, apart from the policy.",
    }),
  },
  "The order in which the steps of a workflow run. Nothing is changed.",
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
    steps: Type.Optional(DraftSteps),
    payload: Type.Optional(
      Type.Unknown({ description: "If given, the response includes the branches that a run with this payload takes." }),
    ),
    outcomes: Type.Optional(
      Type.Record(Type.String(), Outcome, {
        description: "Outcome of steps by `step_ref`. Default: completed with null output.",
      }),
    ),
  },
  "Simulates a workflow run.",
);
export type SimulateWorkflow = Static<typeof SimulateWorkflow>;

const { status, cause, cause_ref, error } = StepRun.properties;

const SimulatedStep = Type.Object({
  step_ref: Type.String(),
  status,
  cause,
  cause_ref,
  error,
  condition: nullable(
    Type.Boolean({ description: "Result of the condition. Null if there is none or it was not evaluated." }),
  ),
  round: nullable(
    Type.Integer({
      minimum: 1,
      description: "When the step starts; steps of a round run at the same time. Null if it does not start.",
    }),
  ),
  reason: nullable(Type.String()),
});

export const WorkflowSimulation = responseObject(
  "WorkflowSimulation",
  {
    workflow_id: Id,
    version_id: Id,
    version: VersionNumber,
    step_count: Count,
    predicted_order: { ...StepRefs, description: "All steps in topological order." },
    branches: nullable(
      Type.Object(
        {
          status: oneOf(["completed", "failed"]),
          error,
          error_count: Count,
          order: { ...StepRefs, description: "The steps that start." },
          compensations: { ...StepRefs, description: "The steps that are compensated before the run ends, in order." },
          steps: Type.Array(SimulatedStep),
        },
        { description: "The run as decided by the same planner as real runs. Null if no payload was given." },
      ),
    ),
  },
  "A simulated run. Nothing is started.",
);
export type WorkflowSimulation = Static<typeof WorkflowSimulation>;

const FieldChange = Type.Object({ field: Type.String(), old: Type.Unknown(), new: Type.Unknown() });

export const WorkflowDiff = responseObject(
  "WorkflowDiff",
  {
    workflow_id: Id,
    from_version_id: Id,
    from_version: VersionNumber,
    to_version_id: Id,
    to_version: VersionNumber,
    added: { ...StepRefs, description: "Steps that only the second version has." },
    removed: { ...StepRefs, description: "Steps that only the first version has." },
    changed: Type.Array(Type.Object({ step_ref: Type.String(), changes: Type.Array(FieldChange) })),
    changed_settings: Type.Array(FieldChange, {
      description: "Changes of `timeout_secs`, `max_parallel_steps` and `payload_schema`.",
    }),
  },
  "The differences between two versions of a workflow.",
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
  reached: { ...Count, description: "Runs in which the step started." },
  completed: Count,
  failed: Count,
  open: { ...Count, description: "Runs in which the step started and has not ended." },
  skipped: Count,
  canceled: { ...Count, description: "Includes runs in which the step had not started." },
  durations: { ...Quartiles, description: "Durations of completed steps. Null if none completed." },
});
export type StepImpact = Static<typeof StepImpact>;

export const VersionImpact = responseObject(
  "VersionImpact",
  {
    workflow_id: Id,
    version_id: Id,
    version: VersionNumber,
    sampled_runs: { ...Count, description: "Number of the workflow's newest runs that were examined, at most 1000." },
    matching_runs: { ...Count, description: "Number of examined runs on this version." },
    active_matching_runs: { ...Count, description: "Number of those that have not ended." },
    steps_of_runs: {
      ...Count,
      description: "Number of newest matching runs that the step counts cover, at most 200.",
    },
    steps: Type.Array(StepImpact, { description: "In definition order." }),
  },
  "How much of a workflow's activity uses one version.",
);
export type VersionImpact = Static<typeof VersionImpact>;
