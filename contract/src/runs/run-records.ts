import Type, { type Static } from "typebox";
import { EnvironmentRef, Id, inWords, JobRef, paging, Timestamp } from "../schema/fields.ts";
import { listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { LOG_LEVELS, TOOL_CALL_STATUSES } from "./sdk-records.ts";

/** Records that runs have reported, for reading. */

const Attempt = Type.Integer({ description: "The attempt that reported it." });
const Level = oneOf(LOG_LEVELS);

export const RunLog = responseObject(
  "RunLog",
  {
    id: Id,
    run_id: Id,
    job_id: Id,
    attempt: Attempt,
    level: Level,
    message: Type.String(),
    fields: nullable(Type.Record(Type.String(), Type.Unknown())),
    logged_at: Timestamp,
    created_at: Timestamp,
  },
  "A log line of a run.",
);
export type RunLog = Static<typeof RunLog>;
export const RunLogList = listOf("RunLogList", RunLog);

export const RunCheckpoint = responseObject(
  "RunCheckpoint",
  { id: Id, run_id: Id, attempt: Attempt, state: Type.Unknown(), created_at: Timestamp },
  "A checkpoint that a run has saved.",
);
export type RunCheckpoint = Static<typeof RunCheckpoint>;
export const RunCheckpointList = listOf("RunCheckpointList", RunCheckpoint);

export const RunUsage = responseObject(
  "RunUsage",
  {
    id: Id,
    run_id: Id,
    attempt: Attempt,
    provider: nullable(Type.String()),
    model: nullable(Type.String()),
    input_tokens: nullable(Type.Integer()),
    output_tokens: nullable(Type.Integer()),
    cost_microusd: Type.Integer(),
    metadata: nullable(Type.Record(Type.String(), Type.Unknown())),
    created_at: Timestamp,
  },
  "Usage and cost reported by a run.",
);
export type RunUsage = Static<typeof RunUsage>;
export const RunUsageList = listOf("RunUsageList", RunUsage);

export const RunToolCall = responseObject(
  "RunToolCall",
  {
    id: Id,
    run_id: Id,
    attempt: Attempt,
    name: Type.String(),
    status: oneOf(TOOL_CALL_STATUSES),
    input: Type.Unknown(),
    output: Type.Unknown(),
    error: nullable(Type.String()),
    duration_ms: nullable(Type.Integer()),
    created_at: Timestamp,
  },
  "A tool call reported by a run.",
);
export type RunToolCall = Static<typeof RunToolCall>;
export const RunToolCallList = listOf("RunToolCallList", RunToolCall);

export const RunOutput = responseObject(
  "RunOutput",
  { id: Id, run_id: Id, attempt: Attempt, name: Type.String(), value: Type.Unknown(), created_at: Timestamp },
  "A named output of a run.",
);
export type RunOutput = Static<typeof RunOutput>;
export const RunOutputList = listOf("RunOutputList", RunOutput);

const oldestFirst = { ...paging, order: Type.Optional(oneOf(["asc", "desc"], "Default: oldest first (`asc`).")) };

export const ListRunRecordsQuery = Type.Object(oldestFirst, { additionalProperties: false });
export type ListRunRecordsQuery = Static<typeof ListRunRecordsQuery>;

export const ListRunLogsQuery = Type.Object(
  { ...oldestFirst, level: Type.Optional(Level) },
  { additionalProperties: false },
);
export type ListRunLogsQuery = Static<typeof ListRunLogsQuery>;

const ONE_LEVEL = `(${LOG_LEVELS.join("|")})`;

export const ListLogsQuery = Type.Object(
  {
    ...paging,
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "Text that the message contains, case-insensitive." }),
    ),
    level: Type.Optional(
      Type.String({
        pattern: inWords(
          `^${ONE_LEVEL}(,${ONE_LEVEL})*$`,
          `must be one of ${LOG_LEVELS.join(", ")}, or several of them separated by commas`,
        ),
        description: "One level, or several separated by commas.",
      }),
    ),
    min_level: Type.Optional(oneOf(LOG_LEVELS, "This level and higher ones: debug, info, warn, error.")),
    job_id: Type.Optional(JobRef),
    run_id: Type.Optional(Id),
    workflow_run_id: Type.Optional(Id),
    environment_id: Type.Optional(EnvironmentRef),
    from: Type.Optional(Type.String({ format: "date-time", description: "Stored at this time or later." })),
    to: Type.Optional(Type.String({ format: "date-time", description: "Stored before this time." })),
  },
  { additionalProperties: false },
);
export type ListLogsQuery = Static<typeof ListLogsQuery>;
