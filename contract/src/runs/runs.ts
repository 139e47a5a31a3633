import Type, { type Static } from "typebox";
import {
  ActorId,
  CreatedByFilter,
  createdWithin,
  EndedById,
  EnvironmentRef,
  Id,
  JobRef,
  KEY_PATTERN,
  PayloadContains,
  paging,
  statusFilter,
  TagFilter,
  Timestamp,
} from "../schema/fields.ts";
import { bodyObject, listOf, moving, nullable, oneOf, responseObject } from "../schema/schema.ts";

export const RUN_STATUSES = [
  "pending",
  "running",
  "waiting",
  "paused",
  "completed",
  "failed",
  "timed_out",
  "canceled",
] as const;
export const TRIGGER_TYPES = ["cron", "api", "event", "webhook", "workflow", "replay", "spawn"] as const;

export const MAX_PRIORITY = 100;
export const Priority = Type.Integer({
  minimum: -MAX_PRIORITY,
  maximum: MAX_PRIORITY,
  description: "Each point moves the run one minute ahead in the queue, so that no run starves.",
});

export const ConcurrencyKey = Type.String({
  minLength: 1,
  maxLength: 256,
  description:
    "Runs with the same key share the job's `max_concurrency_per_key`, and are interleaved fairly with other keys.",
});

export const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 256,
  description:
    "A request with the same key within 24 hours returns the existing run. Can also be sent as the header `Idempotency-Key`.",
});

const Key = Type.String({ pattern: KEY_PATTERN });

export const Metadata = Type.Record(Key, Type.Unknown(), {
  maxProperties: 50,
  additionalProperties: false,
  description: "Up to 50 key-value pairs of your own, with values of any JSON type.",
});

const TagMap = Type.Record(Key, Type.String({ maxLength: 256 }), {
  maxProperties: 20,
  additionalProperties: false,
});

/** Tags as sent: an object, or a list of names as a shorthand. */
export const TagsInput = Type.Unsafe<Record<string, string> | string[]>({
  anyOf: [TagMap, { type: "array", maxItems: 20, items: { type: "string", minLength: 1, maxLength: 64 } }],
  description: 'An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`.',
});

export const Tags = Type.Record(Type.String(), Type.String());

const RunError = nullable(
  Type.Object({
    code: Type.String({ description: "Machine-readable error code." }),
    message: Type.String({ description: "Human-readable error message." }),
    by_id: EndedById,
  }),
);

const Progress = nullable(
  Type.Object({ percent: nullable(Type.Number()), message: nullable(Type.String()), updated_at: Timestamp }),
);

export const runFields = {
  id: Id,
  project_id: Id,
  job_id: Id,
  job_version_id: Id,
  environment_id: Id,
  status: oneOf(RUN_STATUSES),
  attempt: moving(
    Type.Integer({ description: "Number of the current dispatch. Increases with every dispatch and never repeats." }),
  ),
  tries_used: moving(
    Type.Integer({
      description:
        "Attempts counted against `max_attempts`: dispatches that failed, timed out or were lost with their instance. Reset to 0 after a wait.",
    }),
  ),
  max_attempts: Type.Integer({ description: "Maximum number of tries, counted from the start or the last wait." }),
  timeout_secs: Type.Integer(),
  priority: Type.Integer(),
  payload: Type.Unknown(),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  tags: Tags,
  result: Type.Unknown(),
  error: RunError,
  concurrency_key: nullable(Type.String()),
  idempotency_key: nullable(Type.String()),
  batch_id: nullable(Id),
  created_by: Type.String(),
  created_by_id: ActorId,
  trigger_type: oneOf(TRIGGER_TYPES),
  parent_run_id: nullable(Id),
  replay_of: nullable(Id),
  replayed_by: nullable(Type.String({ format: "uuid", description: "The newest run created by replaying this one." })),
  schedule_id: nullable(Id),
  workflow_run_id: nullable(Id),
  step_ref: nullable(Type.String()),
  progress: moving(Progress),
  pause_requested: Type.Boolean(),
  cost_microusd: moving(
    Type.Integer({
      description:
        "Cost reported by the run. It excludes compute time, which the run's `/cost` and the usage reports include.",
    }),
  ),
  scheduled_at: Timestamp,
  started_at: moving(nullable(Timestamp)),
  finished_at: nullable(Timestamp),
  dead_lettered_at: nullable(Timestamp),
  replayed_at: nullable(
    Type.String({
      format: "date-time",
      description:
        "When the run left the dead-letter queue through a replay or a retry of its step. It cannot be replayed again.",
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Run = responseObject("Run", runFields, "One durable execution of a job.");
export type Run = Static<typeof Run>;

export const RunList = listOf("RunList", Run);

export const ListRunsQuery = Type.Object(
  {
    ...paging,
    status: Type.Optional(statusFilter(RUN_STATUSES)),
    job_id: Type.Optional(JobRef),
    batch_id: Type.Optional(Id),
    concurrency_key: Type.Optional(ConcurrencyKey),
    created_by: Type.Optional(CreatedByFilter),
    trigger_type: Type.Optional(oneOf(TRIGGER_TYPES)),
    parent_run_id: Type.Optional(Id),
    replay_of: Type.Optional(Id),
    schedule_id: Type.Optional(Id),
    workflow_run_id: Type.Optional(Id),
    environment_id: Type.Optional(EnvironmentRef),
    tag: Type.Optional(TagFilter),
    payload_contains: Type.Optional(PayloadContains),
    q: Type.Optional(
      Type.String({
        maxLength: 2_000,
        description: "Query such as `status:failed -tag:noise payload.user.id:42 since:24h`. All filters must match.",
      }),
    ),
    dead_letter: Type.Optional(
      Type.Boolean({ description: "True: only runs in the dead-letter queue. False: only runs that are not in it." }),
    ),
    ...createdWithin,
  },
  { additionalProperties: false },
);
export type ListRunsQuery = Static<typeof ListRunsQuery>;

export const ListChildrenQuery = Type.Object(paging, { additionalProperties: false });
export type ListChildrenQuery = Static<typeof ListChildrenQuery>;

export const ListHistoryQuery = Type.Object(
  { ...paging, order: Type.Optional(oneOf(["asc", "desc"], "Default: oldest first (`asc`).")) },
  { additionalProperties: false },
);
export type ListHistoryQuery = Static<typeof ListHistoryQuery>;

export const UpdateRun = bodyObject(
  "UpdateRun",
  {
    tags: Type.Optional(TagsInput),
    metadata: Type.Optional(Metadata),
    priority: Type.Optional(Priority),
    scheduled_at: Type.Optional(Timestamp),
  },
  "The fields to change in a run that has not started. `tags` and `metadata` are replaced as a whole.",
);
export type UpdateRun = Static<typeof UpdateRun>;

export const CancelRun = bodyObject(
  "CancelRun",
  {
    reason: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: "Included in the `error` of the run." }),
    ),
  },
  "Cancels a run.",
);
export type CancelRun = Static<typeof CancelRun>;

export const ReplayRun = bodyObject(
  "ReplayRun",
  {
    payload: Type.Optional(Type.Unknown({ description: "Replaces the payload of the original run." })),
    metadata: Type.Optional(Metadata),
    tags: Type.Optional(TagsInput),
  },
  "Overrides values of the original run.",
);
export type ReplayRun = Static<typeof ReplayRun>;

const StatusOrNull = Type.Unsafe<(typeof RUN_STATUSES)[number] | null>({
  type: ["string", "null"],
  enum: [...RUN_STATUSES, null],
});

export const RunTransition = responseObject(
  "RunTransition",
  {
    run_id: Id,
    ordinal: Type.Integer({ description: "Position of the transition in the run's history, starting at 1." }),
    from_status: StatusOrNull,
    to_status: oneOf(RUN_STATUSES),
    cause: Type.String({ description: "Machine-readable cause of the transition." }),
    attempt: Type.Integer(),
    detail: Type.Unknown({ description: "Details such as error, HTTP status and duration." }),
    created_at: Timestamp,
  },
  "A status transition of a run.",
);
export type RunTransition = Static<typeof RunTransition>;

export const RunTransitionList = listOf("RunTransitionList", RunTransition);

export const RunAttempt = responseObject(
  "RunAttempt",
  {
    run_id: Id,
    attempt: Type.Integer(),
    started_at: Timestamp,
    finished_at: nullable(Timestamp),
    outcome: nullable(Type.String({ description: "How the attempt ended. Null while it is running." })),
    to_status: StatusOrNull,
    error: RunError,
    http_status: nullable(Type.Integer()),
    duration_ms: nullable(Type.Integer()),
  },
  "One dispatch of a run to the endpoint of its job.",
);
export type RunAttempt = Static<typeof RunAttempt>;

export const RunAttemptList = listOf("RunAttemptList", RunAttempt);
