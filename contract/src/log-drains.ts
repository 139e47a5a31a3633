import Type, { type Static } from "typebox";
import { EnvironmentRef, Id, inWords, Name, ProjectIdQuery, paging, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, moving, nullable, oneOf } from "./schema.ts";
import { LOG_LEVELS } from "./sdk-records.ts";

export const DRAIN_FORMATS = ["json", "ndjson", "otlp", "loki"] as const;
export const DRAIN_AUTH_TYPES = ["none", "bearer", "basic", "header"] as const;
export const DRAIN_STATES = ["idle", "delivering", "failing", "disabled"] as const;

const Url = Type.String({ format: "uri", minLength: 1, maxLength: 2048, description: "Where the records are posted." });
const Format = oneOf(
  DRAIN_FORMATS,
  "`json`: an array of records. `ndjson`: one record a line. `otlp`: OpenTelemetry logs as JSON, for `…/v1/logs`. `loki`: for `…/loki/api/v1/push`.",
);
const MinLevel = oneOf(LOG_LEVELS, "Lines below this level are not sent.");
const JobRefs = Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
  minItems: 1,
  maxItems: 100,
  description: "Ids or slugs: only lines of these jobs. Null: of all.",
});
const ONLY_THERE = "Only lines of runs there. Null: of all environments.";
const Secret = { minLength: 1, maxLength: 4096, description: "Kept encrypted, never shown again." };

export const DrainAuth = bodyObject(
  "DrainAuth",
  {
    type: oneOf(DRAIN_AUTH_TYPES),
    token: Type.Optional(Type.String({ ...Secret })),
    username: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, pattern: inWords("^[^:]+$", "must not have a colon") }),
    ),
    password: Type.Optional(Type.String({ ...Secret })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    value: Type.Optional(Type.String({ ...Secret })),
  },
  "`bearer` takes `token`; `basic` takes `username` and `password`; `header` takes `name` and `value`.",
);
export type DrainAuth = Static<typeof DrainAuth>;

export const LogDrain = answerObject(
  "LogDrain",
  {
    id: Id,
    project_id: Id,
    environment_id: nullable({ ...Id, description: ONLY_THERE }),
    name: Type.String(),
    url: Type.String(),
    format: Format,
    auth_type: oneOf(DRAIN_AUTH_TYPES),
    auth_name: nullable(Type.String({ description: "The user of `basic`, the name of `header`." })),
    min_level: MinLevel,
    job_ids: nullable(Type.Array(Id)),
    enabled: Type.Boolean(),
    state: moving(oneOf(DRAIN_STATES, "`failing`: the last attempt was not taken. `idle`: nothing is left to send.")),
    oldest_unsent_at: moving(
      nullable({ ...Timestamp, description: "Of the lines that wait, when the first was stored." }),
    ),
    consecutive_failures: moving(Type.Integer()),
    next_attempt_at: moving(nullable({ ...Timestamp, description: "While it is failing: when it is tried again." })),
    last_status_code: moving(nullable(Type.Integer())),
    last_error: moving(nullable(Type.String())),
    last_delivered_at: moving(nullable(Timestamp)),
    delivered_count: moving(Type.Integer({ description: "Records that the receiver has taken." })),
    dropped_count: moving(
      Type.Integer({ description: "Records given up because the receiver was away for too long." }),
    ),
    refused_count: moving(Type.Integer({ description: "Single records that the receiver would not take." })),
    created_by: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Sends the log lines of a project's runs to an address outside.",
);
export type LogDrain = Static<typeof LogDrain>;
export const LogDrainList = listOf("LogDrainList", LogDrain);

const settings = {
  auth: Type.Optional(DrainAuth),
  min_level: Type.Optional(MinLevel),
  job_ids: Type.Optional(nullable(JobRefs)),
  environment_id: Type.Optional(
    nullable({ ...EnvironmentRef, description: `${ONLY_THERE} By id or slug; the id is kept.` }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: "Switched on again, it begins with what is logged then." })),
};

export const CreateLogDrain = bodyObject(
  "CreateLogDrain",
  { project_id: Type.Optional(ProjectIdQuery), name: Name, url: Url, format: Type.Optional(Format), ...settings },
  "A drain to create. It begins with what is logged from now on. Without `format` it is `json`, without `min_level` everything.",
);
export type CreateLogDrain = Static<typeof CreateLogDrain>;

export const UpdateLogDrain = bodyObject(
  "UpdateLogDrain",
  { name: Type.Optional(Name), url: Type.Optional(Url), format: Type.Optional(Format), ...settings },
  "The fields to change. What waits is tried again at once.",
);
export type UpdateLogDrain = Static<typeof UpdateLogDrain>;

export const ListLogDrainsQuery = Type.Object({ ...paging }, { additionalProperties: false });
export type ListLogDrainsQuery = Static<typeof ListLogDrainsQuery>;

export const LogDrainTest = answerObject(
  "LogDrainTest",
  {
    delivered: Type.Boolean(),
    status_code: nullable(Type.Integer()),
    duration_ms: Type.Integer(),
    error: nullable(Type.String()),
    sent: Type.String({ description: "The body as it was sent." }),
  },
  "What became of a record that was sent to try a drain.",
);
export type LogDrainTest = Static<typeof LogDrainTest>;
