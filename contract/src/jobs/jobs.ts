import Type, { type Static, type TSchema } from "typebox";
import { Metadata, Priority, Tags, TagsInput } from "../runs/runs.ts";
import {
  ActorId,
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
} from "../schema/fields.ts";
import { bodyObject, listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { DEFAULT_QUEUE, QueueName } from "../workers/queues.ts";
import { CronExpression, OverlapPolicy, Timezone } from "./schedules.ts";

export const DELIVERIES = ["push", "pull"] as const;
const RETRY_STRATEGIES = ["exponential", "linear", "fixed", "custom"] as const;
const MAX_HEADERS = 50;
const DAY_SECS = 86_400;
const YEAR_SECS = 31_536_000;
const MAX_COUNT = 1_000_000;

const secs = (minimum: number, maximum: number, description: string) => Type.Integer({ minimum, maximum, description });
const count = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_COUNT, description });
const microusd = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** An object with arbitrary keys chosen by the user. */
const arbitraryObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, description });

const LIMIT_NAME = inWords("^[A-Za-z0-9_.-]+$", "must be letters, digits, underscores, dots and hyphens");

const RateLimitKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64, pattern: LIMIT_NAME }),
    key: Type.String({
      minLength: 1,
      maxLength: 512,
      description:
        "Template of the limit's key. Runs with the same rendered key share the limit: `{{payload.customer_id}}`.",
    }),
    max: count("Maximum number of starts in any window."),
    window_secs: secs(1, DAY_SECS, "Length of the window in seconds."),
  },
  { additionalProperties: false },
);

const CancelOn = Type.Object(
  {
    event_key: Type.String({
      minLength: 1,
      maxLength: 512,
      description: "Event key, rendered with the run's payload. An event with this key cancels the run.",
    }),
  },
  { additionalProperties: false },
);

const RetryDelays = Type.Array(Type.Integer({ minimum: 0, maximum: DAY_SECS }), {
  minItems: 1,
  maxItems: 50,
  description:
    "Required for the `custom` strategy, and only allowed there: delays before each retry. The last one repeats.",
});

const PayloadSchema = arbitraryObject(
  "JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Values that do not match are rejected.",
);

/** Settings of a version. Changing any of them creates a new version. */
const behavior = {
  delivery: oneOf(
    DELIVERIES,
    "`push`: the service sends runs to `endpoint_url`. `pull`: workers claim them with `POST /worker/v1/claims`.",
  ),
  endpoint_url: nullable(
    Type.String({
      format: "uri",
      maxLength: 2048,
      description: "URL that runs are dispatched to. Required with `delivery: push`, null with `pull`.",
    }),
  ),
  headers: Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
    maxProperties: MAX_HEADERS,
    description: "Sent with every dispatch. Encrypted at rest.",
  }),
  timeout_secs: secs(1, DAY_SECS, "Timeout of one attempt, counted from its dispatch."),
  heartbeat_timeout_secs: secs(5, DAY_SECS, "How long an accepted run may go without a heartbeat."),
  unreachable_timeout_secs: secs(
    10,
    30 * DAY_SECS,
    "How long a run waits for an endpoint that cannot be reached, before it fails with `endpoint_unreachable`. At most 10 minutes for a host that has never responded.",
  ),
  max_attempts: Type.Integer({ minimum: 1, maximum: 100 }),
  retry_strategy: oneOf(
    RETRY_STRATEGIES,
    "`exponential`: 1 s, doubled each time, up to 1 h. `linear`: 1 s more each time. `fixed`: 1 s. `custom`: your own delays.",
  ),
  retry_delays_secs: nullable(RetryDelays),
  default_run_metadata: Metadata,
  payload_schema: nullable(PayloadSchema),
  result_schema: nullable(PayloadSchema),
  max_cost_microusd: nullable(microusd("A run that exceeds this cost is stopped.")),
  on_failure_job_id: nullable({ ...Id, description: "Job that is triggered when a run fails." }),
};

/** Settings that apply immediately, even to runs that are already queued. */
const live = {
  description: nullable(Description),
  environment_id: nullable({ ...Id, description: "Default environment of runs. Null: production." }),
  enabled: Type.Boolean({ description: "False: the job cannot be triggered." }),
  queue: { ...QueueName, description: "Queue whose limits and pause its runs share with those of other jobs." },
  max_concurrency: nullable(count("Maximum number of runs of the job at the same time.")),
  max_concurrency_per_key: nullable(count("Maximum number of runs with the same `concurrency_key` at the same time.")),
  rate_limit_max: nullable(count("Maximum number of starts in any `rate_limit_window_secs`. Set both or neither.")),
  rate_limit_window_secs: nullable(secs(1, DAY_SECS, "Window of `rate_limit_max` in seconds.")),
  rate_limit_keys: Type.Array(RateLimitKey, { maxItems: 10, description: "Additional named rate limits." }),
  cron: nullable(CronExpression),
  timezone: Timezone,
  cron_overlap_policy: OverlapPolicy,
  dedup_window_secs: nullable(
    secs(
      1,
      30 * DAY_SECS,
      "A trigger with the same payload within this time returns the existing run and starts none.",
    ),
  ),
  debounce_window_secs: nullable(
    secs(
      1,
      DAY_SECS,
      "A trigger replaces the payload of a run with the same `concurrency_key` that has not started, and postpones it.",
    ),
  ),
  run_ttl_secs: nullable(secs(1, YEAR_SECS, "A run that has not started after this time is canceled.")),
  priority: Priority,
  estimated_cost_microusd: nullable(microusd("Amount reserved from the budget until a run ends.")),
  cancel_on: Type.Array(CancelOn, { maxItems: 10 }),
};

/** Settings of a job that was created with only a name and an endpoint. */
export const JOB_DEFAULTS = {
  delivery: "push",
  endpoint_url: null,
  headers: {},
  timeout_secs: 300,
  heartbeat_timeout_secs: 60,
  unreachable_timeout_secs: 86_400,
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
  queue: DEFAULT_QUEUE,
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

const withDefaults = {
  ...behavior,
  ...live,
  environment_id: nullable({
    ...EnvironmentRef,
    description: "Default environment of runs: id or slug, stored as the id. Null: production.",
  }),
  on_failure_job_id: nullable({
    ...JobRef,
    description: "Job that is triggered when a run fails: id or slug, stored as the id.",
  }),
  tags: TagsInput,
};

const versionFields = {
  ...behavior,
  headers: Type.Record(Type.String(), Type.String()),
  default_run_metadata: arbitraryObject(
    "Default metadata of every run. The run's own metadata overrides it key by key.",
  ),
};

export const Job = responseObject(
  "Job",
  {
    id: Id,
    project_id: Id,
    slug: Slug,
    name: Type.String(),
    ...versionFields,
    ...live,
    tags: Tags,
    version: Type.Integer({ description: "Number of the version that new runs use." }),
    version_id: Id,
    paused_at: nullable({
      ...Timestamp,
      description: "Set while the job is paused: triggers are accepted and their runs stay queued.",
    }),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "A job: where runs are dispatched to, their limits and their retry settings.",
);
export type Job = Static<typeof Job>;

export const JobList = listOf("JobList", Job);

export const JobVersion = responseObject(
  "JobVersion",
  {
    id: Id,
    project_id: Id,
    job_id: Id,
    version: Type.Integer(),
    ...versionFields,
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
  },
  "The settings of one version of a job. Immutable.",
);
export type JobVersion = Static<typeof JobVersion>;

export const JobVersionList = listOf("JobVersionList", JobVersion);

export const CreateJob = bodyObject(
  "CreateJob",
  {
    project_id: Type.Optional(ProjectIdQuery),
    name: Name,
    slug: Type.Optional(Slug),
    ...optional(withDefaults, JOB_DEFAULTS),
  },
  "Creates a job. Default for `slug`: derived from the name.",
);
export type CreateJob = Static<typeof CreateJob>;

export const UpdateJob = bodyObject(
  "UpdateJob",
  { ...optional({ name: Name, slug: Slug }, {}), ...optional(withDefaults, {}) },
  "The fields to change. Objects and lists are replaced as a whole.",
);
export type UpdateJob = Static<typeof UpdateJob>;

export const ListJobsQuery = Type.Object(
  {
    ...paging,
    tag: Type.Optional(TagFilter),
    enabled: Type.Optional(Type.Boolean()),
    environment_id: Type.Optional(EnvironmentRef),
    queue: Type.Optional(QueueName),
  },
  { additionalProperties: false },
);
export type ListJobsQuery = Static<typeof ListJobsQuery>;

export const ListJobVersionsQuery = Type.Object(paging, { additionalProperties: false });
export type ListJobVersionsQuery = Static<typeof ListJobVersionsQuery>;

type Optionals<T> = { [K in keyof T]: T[K] extends TSchema ? ReturnType<typeof Type.Optional<T[K]>> : never };

/** The same fields as optional ones, with their defaults where they have one. */
function optional<T extends Record<string, TSchema>>(fields: T, defaults: Record<string, unknown>): Optionals<T> {
  const entries = Object.entries(fields).map(([name, schema]) => {
    const shown = name in defaults ? { ...schema, default: defaults[name] } : schema;
    return [name, Type.Optional(shown as TSchema)];
  });
  return Object.fromEntries(entries) as Optionals<T>;
}
