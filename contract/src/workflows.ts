import Type, { type Static } from "typebox";
import { Description, EnvironmentRef, Id, Name, ProjectIdQuery, paging, Slug, TagFilter, Timestamp } from "./fields.ts";
import { IdempotencyKey, Metadata, Tags, TagsInput } from "./runs.ts";
import { CronExpression, OverlapPolicy, Timezone } from "./schedules.ts";
import { answerObject, bodyObject, listOf, moving, nullable, refTo } from "./schema.ts";
import { MAX_STEPS, StepInput, WorkflowStep } from "./workflow-steps.ts";

const YEAR_SECS = 31_536_000;
const MOST = 1_000_000;

const CancelOn = Type.Object(
  {
    // Its bounds are judged with its templates, so that all faults are told at once.
    event_key: Type.String({
      description: "1 to 512 characters, rendered over the run's payload: an event with this key cancels the run.",
    }),
  },
  { additionalProperties: false },
);

const PayloadSchema = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description:
    "JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. A payload that does not fit is refused.",
});

/** How a run goes. A change of any of these makes a new version. */
const behaviour = {
  steps: Type.Unsafe<WorkflowStep[]>({ type: "array", items: refTo(WorkflowStep) }),
  timeout_secs: nullable(
    Type.Integer({ minimum: 1, maximum: YEAR_SECS, description: "For the whole run; paused time is outside of it." }),
  ),
  max_parallel_steps: nullable(
    Type.Integer({
      minimum: 1,
      maximum: MAX_STEPS,
      description: "Steps that run at the same time; those that wait are not counted.",
    }),
  ),
  payload_schema: nullable(PayloadSchema),
};

/** What holds at once. */
const live = {
  description: nullable(Description),
  environment_id: nullable({ ...Id, description: "Where runs happen when nobody says. Null: production." }),
  enabled: Type.Boolean({ description: "False: nothing may trigger it." }),
  max_concurrent_runs: nullable(
    Type.Integer({ minimum: 1, maximum: MOST, description: "Runs of the workflow at the same time; others wait." }),
  ),
  cron: nullable(CronExpression),
  timezone: Timezone,
  cron_overlap_policy: OverlapPolicy,
  on_failure_job_id: nullable({ ...Id, description: "Job that is triggered when a run fails or times out." }),
  cancel_on: Type.Array(CancelOn, { maxItems: 10 }),
};

/** Told where a version was made, or made current, and at no other time. */
const replaced = {
  active_runs_on_previous_version: Type.Optional(
    moving(
      Type.Integer({ minimum: 1, description: "Runs in flight on the version that was replaced; absent without any." }),
    ),
  ),
  previous_version_id: Type.Optional(
    moving({ ...Id, description: "The version that was replaced, when runs are on it." }),
  ),
  inactive_version_id: Type.Optional(
    moving({ ...Id, description: "The version that was stored and is not the current one." }),
  ),
};

/** What a workflow has that was created with a name and steps alone. */
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

export const Workflow = answerObject(
  "Workflow",
  {
    id: Id,
    project_id: Id,
    slug: Slug,
    name: Type.String(),
    ...live,
    ...behaviour,
    tags: Tags,
    version: Type.Integer({ description: "Number of the newest version." }),
    current_version: Type.Integer({ description: "Number of the version that new runs take; its steps are shown." }),
    version_id: { ...Id, description: "Of the version that new runs take." },
    canary_id: nullable({ ...Id, description: "Of the active canary, else of the last one; null before the first." }),
    ...replaced,
    created_by: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Steps that depend on each other, to be run in that order.",
);
export type Workflow = Static<typeof Workflow>;

export const WorkflowList = listOf("WorkflowList", Workflow);

export const WorkflowVersion = answerObject(
  "WorkflowVersion",
  {
    id: Id,
    project_id: Id,
    workflow_id: Id,
    version: Type.Integer(),
    ...behaviour,
    breaking_change: Type.Boolean({ description: "Whoever made it said that it breaks with the one before." }),
    approved_by: nullable(Type.String({ description: "Who made it current, when that was not its author." })),
    created_by: Type.String(),
    created_at: Timestamp,
  },
  "How runs of a workflow go, as of one version. It never changes.",
);
export type WorkflowVersion = Static<typeof WorkflowVersion>;

export const WorkflowVersionList = listOf("WorkflowVersionList", WorkflowVersion);

const Steps = Type.Unsafe<StepInput[]>({ type: "array", minItems: 1, maxItems: MAX_STEPS, items: refTo(StepInput) });

const settings = {
  description: Type.Optional(live.description),
  environment_id: Type.Optional(
    nullable({ ...EnvironmentRef, description: "Where runs happen when nobody says: id or slug; the id is kept." }),
  ),
  tags: Type.Optional(TagsInput),
  enabled: Type.Optional(live.enabled),
  timeout_secs: Type.Optional(behaviour.timeout_secs),
  max_parallel_steps: Type.Optional(behaviour.max_parallel_steps),
  payload_schema: Type.Optional(behaviour.payload_schema),
  max_concurrent_runs: Type.Optional(live.max_concurrent_runs),
  cron: Type.Optional(live.cron),
  timezone: Type.Optional(live.timezone),
  cron_overlap_policy: Type.Optional(live.cron_overlap_policy),
  on_failure_job_id: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: "Job that is triggered when a run fails or times out: id or slug; the id is kept.",
      }),
    ),
  ),
  cancel_on: Type.Optional(live.cancel_on),
};

export const CreateWorkflow = bodyObject(
  "CreateWorkflow",
  { project_id: Type.Optional(ProjectIdQuery), name: Name, slug: Type.Optional(Slug), steps: Steps, ...settings },
  "A workflow to create. Without `slug` one is made from the name.",
);
export type CreateWorkflow = Static<typeof CreateWorkflow>;

export const UpdateWorkflow = bodyObject(
  "UpdateWorkflow",
  {
    name: Type.Optional(Name),
    slug: Type.Optional(Slug),
    steps: Type.Optional(Steps),
    ...settings,
    activate: Type.Optional(
      Type.Boolean({ description: "False: a new version is stored, and new runs still take the current one." }),
    ),
    breaking_change: Type.Optional(
      Type.Boolean({ description: "The new version breaks with the one before: runs in flight on it are audited." }),
    ),
  },
  "The fields to change. Objects and lists are replaced whole, the steps too.",
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

export const ListWorkflowVersionsQuery = Type.Object(paging, { additionalProperties: false });
export type ListWorkflowVersionsQuery = Static<typeof ListWorkflowVersionsQuery>;

const VersionRef = Type.Unsafe<number | string>({
  anyOf: [
    { type: "integer", minimum: 1, maximum: 2_147_483_647 },
    { type: "string", format: "uuid" },
  ],
  description: "Number or id of the version to run in place of the current one.",
});

export const TriggerWorkflow = bodyObject(
  "TriggerWorkflow",
  {
    project_id: Type.Optional(ProjectIdQuery),
    payload: Type.Optional(Type.Unknown({ description: "What the workflow works on; `{}` when absent." })),
    idempotency_key: Type.Optional(IdempotencyKey),
    routing_key: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "Runs that share it take the same version." }),
    ),
    version: Type.Optional(VersionRef),
    tags: Type.Optional(TagsInput),
    metadata: Type.Optional(Metadata),
    scheduled_at: Type.Optional(Timestamp),
    delay_secs: Type.Optional(Type.Number({ minimum: 0, maximum: YEAR_SECS })),
    environment_id: Type.Optional(EnvironmentRef),
    dry_run: Type.Optional(Type.Boolean({ description: "Checks everything and creates nothing." })),
  },
  "A workflow run to start. `scheduled_at` or `delay_secs` start it later.",
);
export type TriggerWorkflow = Static<typeof TriggerWorkflow>;
