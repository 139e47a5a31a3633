import Type, { type Static } from "typebox";
import { LOG_LEVELS } from "../runs/sdk-records.ts";
import { ActorId, EnvironmentRef, Id, inWords, Name, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, moving, nullable, oneOf, responseObject } from "../schema/schema.ts";

export const DRAIN_SIGNALS = ["logs", "traces", "metrics"] as const;
export const DRAIN_FORMATS = ["json", "ndjson", "otlp", "loki"] as const;
export const DRAIN_AUTH_TYPES = ["none", "bearer", "basic", "header"] as const;
export const DRAIN_STATES = ["idle", "delivering", "failing", "disabled"] as const;

const Url = Type.String({
  format: "uri",
  minLength: 1,
  maxLength: 2048,
  description: "URL that records are posted to.",
});
const Signal = oneOf(
  DRAIN_SIGNALS,
  "`logs`: the lines that runs log. `traces`: OpenTelemetry spans of runs, attempts, workflow runs and steps, when they have ended. `metrics`: totals and backlog by job, once a minute.",
);
const Format = oneOf(
  DRAIN_FORMATS,
  "`json`: an array of records. `ndjson`: one record per line. `otlp`: OpenTelemetry as JSON, for `…/v1/logs`, `…/v1/traces` or `…/v1/metrics`; the only one for traces and metrics. `loki`: for `…/loki/api/v1/push`.",
);
const MinLevel = oneOf(LOG_LEVELS, "Lines below this level are not sent.");
const JobRefs = Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
  minItems: 1,
  maxItems: 100,
  description: "Only lines of these jobs (ids or slugs). Null: all jobs.",
});
const ENVIRONMENT_FILTER = "Only lines of runs in this environment. Null: all environments.";
const Secret = { minLength: 1, maxLength: 4096, description: "Stored encrypted and never returned." };

export const DrainAuth = bodyObject(
  "DrainAuth",
  {
    type: oneOf(DRAIN_AUTH_TYPES),
    token: Type.Optional(Type.String({ ...Secret })),
    username: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, pattern: inWords("^[^:]+$", "must not contain a colon") }),
    ),
    password: Type.Optional(Type.String({ ...Secret })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    value: Type.Optional(Type.String({ ...Secret })),
  },
  "`bearer` requires `token`; `basic` requires `username` and `password`; `header` requires `name` and `value`.",
);
export type DrainAuth = Static<typeof DrainAuth>;

export const LogDrain = responseObject(
  "LogDrain",
  {
    id: Id,
    project_id: Id,
    environment_id: nullable({ ...Id, description: ENVIRONMENT_FILTER }),
    name: Type.String(),
    url: Type.String(),
    signal: Signal,
    format: Format,
    auth_type: oneOf(DRAIN_AUTH_TYPES),
    auth_name: nullable(Type.String({ description: "The user name for `basic`, the header name for `header`." })),
    min_level: MinLevel,
    job_ids: nullable(Type.Array(Id)),
    enabled: Type.Boolean(),
    state: moving(oneOf(DRAIN_STATES, "`failing`: the last attempt failed. `idle`: nothing to send.")),
    oldest_unsent_at: moving(
      nullable({ ...Timestamp, description: "When the oldest unsent line was stored. Null for traces and metrics." }),
    ),
    consecutive_failures: moving(Type.Integer()),
    next_attempt_at: moving(
      nullable({ ...Timestamp, description: "While the drain is failing: time of the next attempt." }),
    ),
    last_status_code: moving(nullable(Type.Integer())),
    last_error: moving(nullable(Type.String())),
    last_delivered_at: moving(nullable(Timestamp)),
    delivered_count: moving(Type.Integer({ description: "Records accepted by the receiver." })),
    dropped_count: moving(
      Type.Integer({ description: "Records dropped because the receiver was unavailable for too long." }),
    ),
    refused_count: moving(Type.Integer({ description: "Individual records rejected by the receiver." })),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Forwards the log lines, traces or metrics of a project's runs to an external URL.",
);
export type LogDrain = Static<typeof LogDrain>;
export const LogDrainList = listOf("LogDrainList", LogDrain);

const settings = {
  auth: Type.Optional(DrainAuth),
  min_level: Type.Optional(MinLevel),
  job_ids: Type.Optional(nullable(JobRefs)),
  environment_id: Type.Optional(
    nullable({ ...EnvironmentRef, description: `${ENVIRONMENT_FILTER} Id or slug, stored as the id.` }),
  ),
  enabled: Type.Optional(
    Type.Boolean({ description: "A drain that is enabled again starts with the lines logged from then on." }),
  ),
};

export const CreateLogDrain = bodyObject(
  "CreateLogDrain",
  {
    project_id: Type.Optional(ProjectIdQuery),
    name: Name,
    url: Url,
    signal: Type.Optional(Signal),
    format: Type.Optional(Format),
    ...settings,
  },
  "Creates a log drain. It sends what happens from now on. Defaults: `signal` is `logs`, `format` is `json` (`otlp` for traces and metrics), and all levels are sent.",
);
export type CreateLogDrain = Static<typeof CreateLogDrain>;

export const UpdateLogDrain = bodyObject(
  "UpdateLogDrain",
  { name: Type.Optional(Name), url: Type.Optional(Url), format: Type.Optional(Format), ...settings },
  "The fields to change. Unsent lines are retried immediately.",
);
export type UpdateLogDrain = Static<typeof UpdateLogDrain>;

export const ListLogDrainsQuery = Type.Object({ ...paging }, { additionalProperties: false });
export type ListLogDrainsQuery = Static<typeof ListLogDrainsQuery>;

export const LogDrainTest = responseObject(
  "LogDrainTest",
  {
    delivered: Type.Boolean(),
    status_code: nullable(Type.Integer()),
    duration_ms: Type.Integer(),
    error: nullable(Type.String()),
    sent: Type.String({ description: "The request body that was sent." }),
  },
  "The result of sending a test record to a drain.",
);
export type LogDrainTest = Static<typeof LogDrainTest>;
