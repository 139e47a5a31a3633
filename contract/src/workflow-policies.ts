import Type, { type Static } from "typebox";
import { Id, Timestamp } from "./fields.ts";
import { ProblemError } from "./problem.ts";
import { answerObject, bodyObject, nullable, oneOf } from "./schema.ts";
import { STEP_TYPES } from "./step-runs.ts";

const bound = (description: string) => nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, description }));

const policy = {
  max_fan_out: bound("Steps that may depend directly on one step. Null: no bound."),
  max_depth: bound("Steps that may stand in a row. Null: no bound."),
  max_steps: bound("Steps of a workflow. Null: no bound beyond the service's own."),
  forbidden_step_types: Type.Array(oneOf(STEP_TYPES), { uniqueItems: true, maxItems: STEP_TYPES.length }),
  require_approval_for_deploy: Type.Boolean({
    description: "A changed version becomes current only when another than its author activates it.",
  }),
};

const stored = {
  project_id: Id,
  ...policy,
  updated_by: nullable(Type.String({ description: "Null: nobody has set a policy." })),
  updated_at: nullable(Timestamp),
};

export const WorkflowPolicy = answerObject(
  "WorkflowPolicy",
  stored,
  "What a project lets its workflows be. It is asked whenever steps are saved.",
);
export type WorkflowPolicy = Static<typeof WorkflowPolicy>;

const Violating = Type.Object({
  workflow_id: Id,
  slug: Type.String(),
  version_id: { ...Id, description: "The current version, which is judged." },
  violations: Type.Array(ProblemError),
});

export const ChangedWorkflowPolicy = answerObject(
  "ChangedWorkflowPolicy",
  {
    ...stored,
    preview: Type.Optional(
      Type.Object(
        {
          checked_count: Type.Integer({ description: "Workflows that were judged." }),
          violating_count: Type.Integer(),
          violating: Type.Array(Violating, { description: "At most 100 of them, oldest first." }),
        },
        { description: "Only with `dry_run`: the workflows whose current version the policy would not let be saved." },
      ),
    ),
  },
  "A policy as it is now, or with `dry_run` as it would be.",
);
export type ChangedWorkflowPolicy = Static<typeof ChangedWorkflowPolicy>;

export const PutWorkflowPolicy = bodyObject(
  "PutWorkflowPolicy",
  {
    max_fan_out: Type.Optional(policy.max_fan_out),
    max_depth: Type.Optional(policy.max_depth),
    max_steps: Type.Optional(policy.max_steps),
    forbidden_step_types: Type.Optional(policy.forbidden_step_types),
    require_approval_for_deploy: Type.Optional(policy.require_approval_for_deploy),
  },
  "The whole policy: what is left out is without a bound, not forbidden, not required.",
);
export type PutWorkflowPolicy = Static<typeof PutWorkflowPolicy>;

export const PutWorkflowPolicyQuery = Type.Object(
  {
    dry_run: Type.Optional(
      Type.Boolean({ description: "Changes nothing, and answers which workflows would violate the policy." }),
    ),
  },
  { additionalProperties: false },
);
export type PutWorkflowPolicyQuery = Static<typeof PutWorkflowPolicyQuery>;
