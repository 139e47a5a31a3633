import Type, { type Static } from "typebox";
import { CronExpression, OverlapPolicy, Timezone } from "../jobs/schedules.ts";
import { IdempotencyKey, Metadata, Tags, TagsInput } from "../runs/runs.ts";
import {
  ActorId,
  Description,
  EnvironmentRef,
  Id,
  Name,
  ProjectIdQuery,
  paging,
  Slug,
  TagFilter,
  Timestamp,
} from "../schema/fields.ts";
import { bodyObject, listOf, moving, nullable, refTo, responseObject } from "../schema/schema.ts";
import { MAX_STEPS, StepInput, WorkflowStep } from "./workflow-steps.ts";

const YEAR_SECS = 31_536_000;
const MAX_COUNT = 1_000_000;

const CancelOn = Type.Object(
  {
    // Limits are checked together with the templates, so that all issues are reported at once.
    event_key: Type.String({
      description: "1 to 512 characters, rendered with the run's payload. An event with this key cancels the run.",
    }),
  },
  { additionalProperties: false },
);

const PayloadSchema = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description:
    "JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Payloads that do not match are rejected.",
});

/** Settings of a version. Changing any of them creates a new version. */
const behavior = {
  steps: Type.Unsafe<WorkflowStep[]>({ type: "array", items: refTo(WorkflowStep) }),
  timeout_secs: nullable(
    Type.Integer({
      minimum: 1,
      maximum: YEAR_SECS,
      description: "Timeout of the whole run, not counting paused time.",
    }),
  ),
  max_parallel_steps: nullable(
    Type.Integer({
      minimum: 1,
      maximum: MAX_STEPS,
      description: "Maximum number of steps that run at the same time, not counting waiting steps.",
    }),
  ),
  payload_schema: nullable(PayloadSchema),
};

/** Settings that apply immediately. */
const live = {
  description: nullable(Description),
  environment_id: nullable({ ...Id, description: "Default environment of runs. Null: production." }),
  enabled: Type.Boolean({ description: "False: the workflow cannot be triggered." }),
  max_concurrent_runs: nullable(
    Type.Integer({
      minimum: 1,
      maximum: MAX_COUNT,
      description: "Maximum number of runs at the same time. Further runs stay pending.",
    }),
  ),
  cron: nullable(CronExpression),
  timezone: Timezone,
  cron_overlap_policy: OverlapPolicy,
  on_failure_job_id: nullable({ ...Id, description: "Job that is triggered when a run fails or times out." }),
  cancel_on: Type.Array(CancelOn, { maxItems: 10 }),
};

/** Only included in the response to a request that created or activated a version. */
const replaced = {
  active_runs_on_previous_version: Type.Optional(
    moving(
      Type.Integer({
        minimum: 1,
        description: "Number of runs in flight on the replaced version. Absent if there are none.",
      }),
    ),
  ),
  previous_version_id: Type.Optional(
    moving({ ...Id, description: "The replaced version. Absent if it has no runs in flight." }),
  ),
  inactive_version_id: Type.Optional(
    moving({ ...Id, description: "The version that was stored without becoming the current one." }),
  ),
};

/** Settings of a workflow that was created with only a name and steps. */
export const WORKFLOW_DEFAULTS = {
  description: null,
  environment_id: null,
  enabled: true,
  timeout_secs: null,
  max_parallel_steps: null,
  payload_schema: null,
  max_concurrent_runs: null,
  cron: null,
  timezone: "UTC",
  cron_overlap_policy: "allow",
  on_failure_job_id: null,
} as const;

export const Workflow = responseObject(
  "Workflow",
  {
    id: Id,
    project_id: Id,
    slug: Slug,
    name: Type.String(),
    ...live,
    ...behavior,
    tags: Tags,
    version: Type.Integer({ description: "Number of the newest version." }),
    current_version: Type.Integer({
      description: "Number of the version that new runs use and whose steps are shown.",
    }),
    version_id: { ...Id, description: "Id of the version that new runs use." },
    canary_id: nullable({ ...Id, description: "The active canary, or else the last one. Null before the first." }),
    ...replaced,
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "A workflow: steps and the dependencies between them.",
);
export type Workflow = Static<typeof Workflow>;

export const WorkflowList = listOf("WorkflowList", Workflow);

export const WorkflowVersion = responseObject(
  "WorkflowVersion",
  {
    id: Id,
    project_id: Id,
    workflow_id: Id,
    version: Type.Integer(),
    ...behavior,
    breaking_change: Type.Boolean({ description: "Marked as a breaking change by its author." }),
    approved_by: nullable(Type.String({ description: "Who activated the version, if not its author." })),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
  },
  "The definition of one version of a workflow. Immutable.",
);
export type WorkflowVersion = Static<typeof WorkflowVersion>;

export const WorkflowVersionList = listOf("WorkflowVersionList", WorkflowVersion);

const Steps = Type.Unsafe<StepInput[]>({ type: "array", minItems: 1, maxItems: MAX_STEPS, items: refTo(StepInput) });

const settings = {
  description: Type.Optional(live.description),
  environment_id: Type.Optional(
    nullable({ ...EnvironmentRef, description: "Default environment of runs: id or slug, stored as the id." }),
  ),
  tags: Type.Optional(TagsInput),
  enabled: Type.Optional(live.enabled),
  timeout_secs: Type.Optional(behavior.timeout_secs),
  max_parallel_steps: Type.Optional(behavior.max_parallel_steps),
  payload_schema: Type.Optional(behavior.payload_schema),
  max_concurrent_runs: Type.Optional(live.max_concurrent_runs),
  cron: Type.Optional(live.cron),
  timezone: Type.Optional(live.timezone),
  cron_overlap_policy: Type.Optional(live.cron_overlap_policy),
  on_failure_job_id: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: "Job that is triggered when a run fails or times out: id or slug, stored as the id.",
      }),
    ),
  ),
  cancel_on: Type.Optional(live.cancel_on),
};

export const CreateWorkflow = bodyObject(
  "CreateWorkflow",
  { project_id: Type.Optional(ProjectIdQuery), name: Name, slug: Type.Optional(Slug), steps: Steps, ...settings },
  "Creates a workflow. Default for `slug`: derived from the name.",
);
export type CreateWorkflow = Static<typeof CreateWorkflow>;

export const UpdateWorkflow = bodyObject(
  "UpdateWorkflow",
  {
    name: Type.Optional(Name),
    slug: Type.Optional(Slug),
    steps: Type.Optional(Steps),
    ...settings,
    activate: Type.Optional(Type.Boolean({ description: "False: stores the new version without making it current." })),
    breaking_change: Type.Optional(
      Type.Boolean({
        description:
          "Marks the new version as a breaking change. Runs in flight on the previous version are recorded in the audit log.",
      }),
    ),
  },
  "The fields to change. Objects and lists, including `steps`, are replaced as a whole.",
);
export type UpdateWorkflow = Static<typeof UpdateWorkflow>;

export const ListWorkflowsQuery = Type.Object(
  {
    ...paging,
    tag: Type.Optional(TagFilter),
    enabled: Type.Optional(Type.Boolean()),
    environment_id: Type.Optional(EnvironmentRef),
  },
  { additionalProperties: false },
);
export type ListWorkflowsQuery = Static<typeof ListWorkflowsQuery>;

export const CreateWorkflowQuery = Type.Object(
  { dry_run: Type.Optional(Type.Boolean({ description: "Validates everything and creates nothing." })) },
  { additionalProperties: false },
);
export type CreateWorkflowQuery = Static<typeof CreateWorkflowQuery>;

export const ListWorkflowVersionsQuery = Type.Object(paging, { additionalProperties: false });
export type ListWorkflowVersionsQuery = Static<typeof ListWorkflowVersionsQuery>;

const VersionRef = Type.Unsafe<number | string>({
  anyOf: [
    { type: "integer", minimum: 1, maximum: 2_147_483_647 },
    { type: "string", format: "uuid" },
  ],
  description: "Number or id of the version to run instead of the current one.",
});

export const TriggerWorkflow = bodyObject(
  "TriggerWorkflow",
  {
    project_id: Type.Optional(ProjectIdQuery),
    payload: Type.Optional(Type.Unknown({ description: "Payload of the workflow run. Default: `{}`." })),
    idempotency_key: Type.Optional(IdempotencyKey),
    routing_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: "Runs with the same routing key use the same version.",
      }),
    ),
    version: Type.Optional(VersionRef),
    tags: Type.Optional(TagsInput),
    metadata: Type.Optional(Metadata),
    scheduled_at: Type.Optional(Timestamp),
    delay_secs: Type.Optional(Type.Number({ minimum: 0, maximum: YEAR_SECS })),
    environment_id: Type.Optional(EnvironmentRef),
    dry_run: Type.Optional(Type.Boolean({ description: "Validates everything and creates nothing." })),
  },
  "Starts a workflow run, or schedules it with `scheduled_at` or `delay_secs`.",
);
export type TriggerWorkflow = Static<typeof TriggerWorkflow>;
