import Type, { type Static } from "typebox";
import { Id, Name, Timestamp } from "../schema/fields.ts";
import { bodyObject, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { Metadata, Tags, TagsInput } from "./runs.ts";

/** Records that a running job reports with its run token. */

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export const MAX_LOGS = 1_000;
export const TOOL_CALL_STATUSES = ["completed", "failed"] as const;
export const MAX_STATE_BYTES = 262_144;

/** A thousand times a plausible cost, and still exact as a double. */
const Microusd = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000, description: "Millionths of a US dollar." });
const Tokens = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 });

const logLine = {
  level: Type.Optional(oneOf(LOG_LEVELS, "Default: `info`.")),
  message: Type.String({ maxLength: 16_384 }),
  fields: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
  logged_at: Type.Optional(Timestamp),
};
export const LogLine = Type.Object(logLine, { additionalProperties: false });
export type SdkLogLine = Static<typeof LogLine>;

export const SdkLogBody = bodyObject(
  "SdkLogBody",
  {
    ...logLine,
    message: Type.Optional(logLine.message),
    logs: Type.Optional(
      Type.Array(LogLine, { minItems: 1, maxItems: MAX_LOGS, description: "Several lines instead of one." }),
    ),
  },
  "One line, or several in `logs`.",
);
export type SdkLogBody = Static<typeof SdkLogBody>;

export const SdkLogged = responseObject(
  "SdkLogged",
  { accepted: Type.Integer({ description: "Number of lines stored." }) },
  "The number of lines stored.",
);

export const SdkCheckpointBody = bodyObject(
  "SdkCheckpointBody",
  { state: Type.Unknown({ description: "Any JSON, up to 256 KB. The next attempt receives it." }) },
  "Saves a checkpoint.",
);
export type SdkCheckpointBody = Static<typeof SdkCheckpointBody>;

/** A record that a run has just reported. */
export const SdkRecord = responseObject("SdkRecord", { id: Id, created_at: Timestamp }, "The stored record.");
export type SdkRecord = Static<typeof SdkRecord>;

export const SdkProgressBody = bodyObject(
  "SdkProgressBody",
  {
    percent: Type.Number({ minimum: 0, maximum: 100 }),
    message: Type.Optional(nullable(Type.String({ maxLength: 1_000 }))),
  },
  "Reports the progress of the run.",
);
export type SdkProgressBody = Static<typeof SdkProgressBody>;

export const SdkProgress = responseObject(
  "SdkProgress",
  { percent: Type.Number(), message: nullable(Type.String()), updated_at: Timestamp },
  "The stored progress.",
);
export type SdkProgress = Static<typeof SdkProgress>;

export const usage = {
  provider: Type.Optional(nullable(Name)),
  model: Type.Optional(nullable(Name)),
  input_tokens: Type.Optional(nullable(Tokens)),
  output_tokens: Type.Optional(nullable(Tokens)),
  cost_microusd: Type.Optional(Microusd),
  metadata: Type.Optional(nullable(Metadata)),
};

export const SdkUsageBody = bodyObject("SdkUsageBody", usage, "Reports usage and cost of the run.");
export type SdkUsageBody = Static<typeof SdkUsageBody>;

export const SdkUsage = responseObject(
  "SdkUsage",
  {
    id: Id,
    cost_microusd: Type.Integer({ description: "Total cost reported by the run so far." }),
    over_budget: Type.Boolean({
      description: "True if the job's `max_cost_microusd` is exceeded, in which case the run has failed.",
    }),
    created_at: Timestamp,
  },
  "The stored usage and the run's total cost.",
);
export type SdkUsage = Static<typeof SdkUsage>;

export const SdkToolCallBody = bodyObject(
  "SdkToolCallBody",
  {
    name: Name,
    input: Type.Optional(Type.Unknown()),
    output: Type.Optional(Type.Unknown()),
    error: Type.Optional(nullable(Type.String({ maxLength: 16_384 }))),
    status: Type.Optional(
      oneOf(TOOL_CALL_STATUSES, "Default: `failed` if there is an `error`, otherwise `completed`."),
    ),
    duration_ms: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
  },
  "Reports a tool call.",
);
export type SdkToolCallBody = Static<typeof SdkToolCallBody>;

export const SdkOutputBody = bodyObject(
  "SdkOutputBody",
  { name: Name, value: Type.Unknown() },
  "Stores a named output.",
);
export type SdkOutputBody = Static<typeof SdkOutputBody>;

export const SdkMetadataBody = bodyObject(
  "SdkMetadataBody",
  { tags: Type.Optional(TagsInput), metadata: Type.Optional(Metadata) },
  "Merged into the run's tags and metadata, key by key.",
);
export type SdkMetadataBody = Static<typeof SdkMetadataBody>;

export const SdkMetadata = responseObject(
  "SdkMetadata",
  { tags: Tags, metadata: Type.Record(Type.String(), Type.Unknown()) },
  "The run's stored tags and metadata.",
);
export type SdkMetadata = Static<typeof SdkMetadata>;
