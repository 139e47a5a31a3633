import Type, { type Static } from "typebox";
import { Id, Name, Timestamp } from "./fields.ts";
import { Metadata, Tags, TagsInput } from "./runs.ts";
import { answerObject, bodyObject, nullable, oneOf } from "./schema.ts";

/** What a running job tells of itself, with its run token. */

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export const MOST_LOGS = 1_000;
export const TOOL_CALL_STATUSES = ["completed", "failed"] as const;
export const MOST_STATE_BYTES = 262_144;

/** A thousand times what a run should ever cost, and far from what would be rounded. */
const Microusd = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000, description: "Millionths of a US dollar." });
const Tokens = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 });

const logLine = {
  level: Type.Optional(oneOf(LOG_LEVELS, "`info` when absent.")),
  message: Type.String({ maxLength: 16_384 }),
  fields: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
  logged_at: Type.Optional(Timestamp),
};
const LogLine = Type.Object(logLine, { additionalProperties: false });
export type SdkLogLine = Static<typeof LogLine>;

export const SdkLogBody = bodyObject(
  "SdkLogBody",
  {
    ...logLine,
    message: Type.Optional(logLine.message),
    logs: Type.Optional(
      Type.Array(LogLine, { minItems: 1, maxItems: MOST_LOGS, description: "Many lines in place of one." }),
    ),
  },
  "One line, or many under `logs`.",
);
export type SdkLogBody = Static<typeof SdkLogBody>;

export const SdkLogged = answerObject(
  "SdkLogged",
  { accepted: Type.Integer({ description: "Lines stored." }) },
  "How many lines were stored.",
);

export const SdkCheckpointBody = bodyObject(
  "SdkCheckpointBody",
  { state: Type.Unknown({ description: "Any JSON, up to 256 KB. The next attempt receives it." }) },
  "State to go on from.",
);
export type SdkCheckpointBody = Static<typeof SdkCheckpointBody>;

/** A record that a run has just left. */
export const SdkRecord = answerObject("SdkRecord", { id: Id, created_at: Timestamp }, "The record as it was stored.");
export type SdkRecord = Static<typeof SdkRecord>;

export const SdkProgressBody = bodyObject(
  "SdkProgressBody",
  {
    percent: Type.Number({ minimum: 0, maximum: 100 }),
    message: Type.Optional(nullable(Type.String({ maxLength: 1_000 }))),
  },
  "How far the run is.",
);
export type SdkProgressBody = Static<typeof SdkProgressBody>;

export const SdkProgress = answerObject(
  "SdkProgress",
  { percent: Type.Number(), message: nullable(Type.String()), updated_at: Timestamp },
  "How far the run is, as stored.",
);
export type SdkProgress = Static<typeof SdkProgress>;

export const SdkUsageBody = bodyObject(
  "SdkUsageBody",
  {
    provider: Type.Optional(nullable(Name)),
    model: Type.Optional(nullable(Name)),
    input_tokens: Type.Optional(nullable(Tokens)),
    output_tokens: Type.Optional(nullable(Tokens)),
    cost_microusd: Type.Optional(Microusd),
    metadata: Type.Optional(nullable(Metadata)),
  },
  "What the run has used and what it cost.",
);
export type SdkUsageBody = Static<typeof SdkUsageBody>;

export const SdkUsage = answerObject(
  "SdkUsage",
  {
    id: Id,
    cost_microusd: Type.Integer({ description: "All that the run has reported so far." }),
    over_budget: Type.Boolean({ description: "Past the job's `max_cost_microusd`: the run has been failed." }),
    created_at: Timestamp,
  },
  "The usage as stored, and the run's cost so far.",
);
export type SdkUsage = Static<typeof SdkUsage>;

export const SdkToolCallBody = bodyObject(
  "SdkToolCallBody",
  {
    name: Name,
    input: Type.Optional(Type.Unknown()),
    output: Type.Optional(Type.Unknown()),
    error: Type.Optional(nullable(Type.String({ maxLength: 16_384 }))),
    status: Type.Optional(oneOf(TOOL_CALL_STATUSES, "When absent: `failed` with an `error`, else `completed`.")),
    duration_ms: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
  },
  "A tool that the run has called.",
);
export type SdkToolCallBody = Static<typeof SdkToolCallBody>;

export const SdkOutputBody = bodyObject("SdkOutputBody", { name: Name, value: Type.Unknown() }, "A named output.");
export type SdkOutputBody = Static<typeof SdkOutputBody>;

export const SdkMetadataBody = bodyObject(
  "SdkMetadataBody",
  { tags: Type.Optional(TagsInput), metadata: Type.Optional(Metadata) },
  "Laid over what the run has, name by name.",
);
export type SdkMetadataBody = Static<typeof SdkMetadataBody>;

export const SdkMetadata = answerObject(
  "SdkMetadata",
  { tags: Tags, metadata: Type.Record(Type.String(), Type.Unknown()) },
  "Tags and metadata of the run, as stored.",
);
export type SdkMetadata = Static<typeof SdkMetadata>;
