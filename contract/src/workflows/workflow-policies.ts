import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { ProblemError } from "../schema/problem.ts";
import { bodyObject, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { STEP_TYPES } from "./step-runs.ts";

const bound = (description: string) => nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, description }));

const policy = {
  max_fan_out: bound("Maximum number of steps that depend directly on one step. Null: no limit."),
  max_depth: bound("Maximum number of steps on a path of dependencies. Null: no limit."),
  max_steps: bound("Maximum number of steps per workflow. Null: only the service's own limit."),
  forbidden_step_types: Type.Array(oneOf(STEP_TYPES), { uniqueItems: true, maxItems: STEP_TYPES.length }),
  require_approval_for_deploy: Type.Boolean({
    description: "A changed version becomes current only when someone other than its author activates it.",
  }),
};

const stored = {
  project_id: Id,
  ...policy,
  updated_by: nullable(Type.String({ description: "Null if no policy has been set." })),
  updated_at: nullable(Timestamp),
};

export const WorkflowPolicy = responseObject(
  "WorkflowPolicy",
  stored,
  "Restrictions on a project's workflows, checked whenever steps are saved.",
);
export type WorkflowPolicy = Static<typeof WorkflowPolicy>;

const Violating = Type.Object({
  workflow_id: Id,
  slug: Type.String(),
  version_id: { ...Id, description: "The current version, which was checked." },
  violations: Type.Array(ProblemError),
});

export const ChangedWorkflowPolicy = responseObject(
  "ChangedWorkflowPolicy",
  {
    ...stored,
    preview: Type.Optional(
      Type.Object(
        {
          checked_count: Type.Integer({ description: "Number of workflows checked." }),
          violating_count: Type.Integer(),
          violating: Type.Array(Violating, { description: "At most 100 of them, oldest first." }),
        },
        { description: "Only with `dry_run`: workflows whose current version violates the policy." },
      ),
    ),
  },
  "The policy, or with `dry_run` the policy as it would be.",
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
  "The whole policy. Omitted fields are reset: no limit, nothing forbidden, nothing required.",
);
export type PutWorkflowPolicy = Static<typeof PutWorkflowPolicy>;

export const PutWorkflowPolicyQuery = Type.Object(
  {
    dry_run: Type.Optional(
      Type.Boolean({ description: "Changes nothing and returns which workflows would violate the policy." }),
    ),
  },
  { additionalProperties: false },
);
export type PutWorkflowPolicyQuery = Static<typeof PutWorkflowPolicyQuery>;
