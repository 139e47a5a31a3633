import Type, { type Static, type TSchema } from "typebox";
import {
  Description,
  EnvironmentRef,
  Id,
  inWords,
  JobRef,
  Name,
  ProjectIdQuery,
  paging,
  Slug,
  TagFilter,
  Timestamp,
} from "./fields.ts";
import { Metadata, Priority, Tags, TagsInput } from "./runs.ts";
import { CronExpression, OverlapPolicy, Timezone } from "./schedules.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf } from "./schema.ts";

const RETRY_STRATEGIES = ["exponential", "linear", "fixed", "custom"] as const;
const MOST_HEADERS = 50;
const DAY_SECS = 86_400;
const YEAR_SECS = 31_536_000;
const MOST = 1_000_000;

const secs = (minimum: number, maximum: number, description: string) => Type.Integer({ minimum, maximum, description });
const count = (description: string) => Type.Integer({ minimum: 1, maximum: MOST, description });
const microusd = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** An object whose names are nobody's business but the user's. */
const freeObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, description });

const LIMIT_NAME = inWords("^[A-Za-z0-9_.-]+$", "must be letters, digits, underscores, dots and hyphens");

const RateLimitKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64, pattern: LIMIT_NAME }),
    key: Type.String({
      minLength: 1,
      maxLength: 512,
      description: "Runs whose rendered key is the same share the limit: `{{payload.customer_id}}`.",
    }),
    max: count("Starts in any window."),
    window_secs: secs(1, DAY_SECS, "Length of the window."),
  },
  { additionalProperties: false },
);

const CancelOn = Type.Object(
  {
    event_key: Type.String({
      minLength: 1,
      maxLength: 512,
      description: "Rendered over the run's payload: an event with this key cancels the run.",
    }),
  },
  { additionalProperties: false },
);

const RetryDelays = Type.Array(Type.Integer({ minimum: 0, maximum: DAY_SECS }), {
  minItems: 1,
  maxItems: 50,
  description: "With `custom`, and only then: the wait before each retry; the last one repeats.",
});

const PayloadSchema = freeObject(
  "JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. What does not fit is refused.",
);

/** How a run of the job behaves. A change of any of these makes a new version. */
const behaviour = {
  endpoint_url: Type.String({ format: "uri", maxLength: 2048, description: "Where runs are dispatched to." }),
  headers: Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
    maxProperties: MOST_HEADERS,
    description: "Sent with every dispatch. Encrypted at rest.",
  }),
  timeout_secs: secs(1, DAY_SECS, "For one attempt, from its dispatch."),
  heartbeat_timeout_secs: secs(5, DAY_SECS, "How long an accepted run may be silent."),
  max_attempts: Type.Integer({ minimum: 1, maximum: 100 }),
  retry_strategy: oneOf(RETRY_STRATEGIES, "1 s doubled each time up to 1 h, 1 s more each time, 1 s, or your own."),
  retry_delays_secs: nullable(RetryDelays),
  default_run_metadata: Metadata,
  payload_schema: nullable(PayloadSchema),
  result_schema: nullable(PayloadSchema),
  max_cost_microusd: nullable(microusd("A run that has cost more is stopped.")),
  on_failure_job_id: nullable({ ...Id, description: "Job that is triggered when a run ends in failure." }),
};

/** What holds at once, for runs that wait too. */
const live = {
  description: nullable(Description),
  environment_id: nullable({ ...Id, description: "Where runs happen when nobody says. Null: production." }),
  enabled: Type.Boolean({ description: "False: nothing may trigger it." }),
  max_concurrency: nullable(count("Runs of the job at the same time.")),
  max_concurrency_per_key: nullable(count("Runs with the same `concurrency_key` at the same time.")),
  rate_limit_max: nullable(count("Starts in any `rate_limit_window_secs`. Both are given, or none.")),
  rate_limit_window_secs: nullable(secs(1, DAY_SECS, "Window of `rate_limit_max`.")),
  rate_limit_keys: Type.Array(RateLimitKey, { maxItems: 10, description: "Further limits, each with its own name." }),
  cron: nullable(CronExpression),
  timezone: Timezone,
  cron_overlap_policy: OverlapPolicy,
  dedup_window_secs: nullable(
    secs(1, 30 * DAY_SECS, "The same payload within it answers the run that exists, and starts none."),
  ),
  debounce_window_secs: nullable(
    secs(1, DAY_SECS, "A trigger while one of the same `concurrency_key` waits replaces its payload and waits anew."),
  ),
  run_ttl_secs: nullable(secs(1, YEAR_SECS, "A run that has not started by then is canceled.")),
  priority: Priority,
  estimated_cost_microusd: nullable(microusd("Held of the budget while a run has not ended.")),
  cancel_on: Type.Array(CancelOn, { maxItems: 10 }),
};

/** What a job has that was created with a name and an endpoint alone. */
export const JOB_DEFAULTS = {
  headers: {},
  timeout_secs: 300,
  heartbeat_timeout_secs: 60,
  max_attempts: 3,
  retry_strategy: "exponential",
  retry_delays_secs: null,
  default_run_metadata: {},
  payload_schema: null,
  result_schema: null,
  max_cost_microusd: null,
  on_failure_job_id: null,
  description: null,
  environment_id: null,
  tags: {},
  enabled: true,
  max_concurrency: null,
  max_concurrency_per_key: null,
  rate_limit_max: null,
  rate_limit_window_secs: null,
  rate_limit_keys: [],
  cron: null,
  timezone: "UTC",
  cron_overlap_policy: "allow",
  dedup_window_secs: null,
  debounce_window_secs: null,
  run_ttl_secs: null,
  priority: 0,
  estimated_cost_microusd: null,
  cancel_on: [],
} as const;

const { endpoint_url, ...behaviourWithDefaults } = behaviour;
const withDefaults = {
  ...behaviourWithDefaults,
  ...live,
  environment_id: nullable({
    ...EnvironmentRef,
    description: "Where runs happen when nobody says: id or slug; the id is kept. Null: production.",
  }),
  on_failure_job_id: nullable({
    ...JobRef,
    description: "Job that is triggered when a run ends in failure: id or slug; the id is kept.",
  }),
  tags: TagsInput,
};

const versionFields = {
  ...behaviour,
  headers: Type.Record(Type.String(), Type.String()),
  default_run_metadata: freeObject("Given to every run; the run's own metadata wins name by name."),
};

export const Job = answerObject(
  "Job",
  {
    id: Id,
    project_id: Id,
    slug: Slug,
    name: Type.String(),
    ...versionFields,
    ...live,
    tags: Tags,
    version: Type.Integer({ description: "Number of the version that new runs take." }),
    version_id: Id,
    paused_at: nullable({ ...Timestamp, description: "Paused: triggers are accepted, and wait." }),
    created_by: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Something to be run: where, how often at once, and what happens when it fails.",
);
export type Job = Static<typeof Job>;

export const JobList = listOf("JobList", Job);

export const JobVersion = answerObject(
  "JobVersion",
  {
    id: Id,
    project_id: Id,
    job_id: Id,
    version: Type.Integer(),
    ...versionFields,
    created_by: Type.String(),
    created_at: Timestamp,
  },
  "How runs of a job behave, as of one version. It never changes.",
);
export type JobVersion = Static<typeof JobVersion>;

export const JobVersionList = listOf("JobVersionList", JobVersion);

export const CreateJob = bodyObject(
  "CreateJob",
  {
    project_id: Type.Optional(ProjectIdQuery),
    name: Name,
    slug: Type.Optional(Slug),
    endpoint_url,
    ...optional(withDefaults, JOB_DEFAULTS),
  },
  "A job to create. Without `slug` one is made from the name.",
);
export type CreateJob = Static<typeof CreateJob>;

export const UpdateJob = bodyObject(
  "UpdateJob",
  { ...optional({ name: Name, slug: Slug, endpoint_url }, {}), ...optional(withDefaults, {}) },
  "The fields to change. Objects and lists are replaced whole.",
);
export type UpdateJob = Static<typeof UpdateJob>;

export const ListJobsQuery = Type.Object(
  {
    ...paging,
    tag: Type.Optional(TagFilter),
    enabled: Type.Optional(Type.Boolean()),
    environment_id: Type.Optional(EnvironmentRef),
  },
  { additionalProperties: false },
);
export type ListJobsQuery = Static<typeof ListJobsQuery>;

export const ListJobVersionsQuery = Type.Object(paging, { additionalProperties: false });
export type ListJobVersionsQuery = Static<typeof ListJobVersionsQuery>;

type Optionals<T> = { [K in keyof T]: T[K] extends TSchema ? ReturnType<typeof Type.Optional<T[K]>> : never };

/** The same fields, none of them required; each with its default where there is one. */
function optional<T extends Record<string, TSchema>>(fields: T, defaults: Record<string, unknown>): Optionals<T> {
  const entries = Object.entries(fields).map(([name, schema]) => {
    const shown = name in defaults ? { ...schema, default: defaults[name] } : schema;
    return [name, Type.Optional(shown as TSchema)];
  });
  return Object.fromEntries(entries) as Optionals<T>;
}
