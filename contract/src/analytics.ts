import Type, { type Static, type TProperties } from "typebox";
import { EnvironmentRef, Id, JobRef, Timestamp } from "./fields.ts";
import { nullable, oneOf } from "./schema.ts";

export const BUCKETS = ["1m", "5m", "1h", "1d"] as const;

export const Top = Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "How many are named." });

/** Of every question: which time, in which steps, and where. */
export const analyticsTime = {
  from: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Put back to the beginning of its bucket. 24 hours ago if absent.",
    }),
  ),
  to: Type.Optional(
    Type.String({ format: "date-time", description: "Put forward to the end of its bucket. Now if absent." }),
  ),
  bucket: Type.Optional(
    oneOf(BUCKETS, "How long the time of one point is, in UTC. Chosen by the length of the time if absent."),
  ),
  environment_id: Type.Optional(EnvironmentRef),
};

export const RunAnalyticsQuery = Type.Object(
  { ...analyticsTime, job_id: Type.Optional(JobRef) },
  { additionalProperties: false },
);
export type RunAnalyticsQuery = Static<typeof RunAnalyticsQuery>;

export const TopAnalyticsQuery = Type.Object(
  { ...analyticsTime, job_id: Type.Optional(JobRef), limit: Type.Optional(Top) },
  { additionalProperties: false },
);
export type TopAnalyticsQuery = Static<typeof TopAnalyticsQuery>;

export const Rate = (description: string) => nullable(Type.Number({ minimum: 0, maximum: 1, description }));
export const Count = (description: string) => Type.Integer({ minimum: 0, description });
export const Ms = (description: string) => nullable(Type.Integer({ minimum: 0, description }));

export const successRate = Rate("completed / (completed + failed + timed_out); null when none of them ended.");

/** Of percentiles: each within 1 % of the exact one. */
export const percentiles = {
  p50_ms: Ms("Half took no longer. Null: none was measured."),
  p95_ms: Ms("95 of 100 took no longer."),
  p99_ms: Ms("99 of 100 took no longer."),
};

/** What every answer tells of its time. */
export const answeredTime = {
  project_id: Id,
  from: Timestamp,
  to: Timestamp,
  bucket: oneOf(BUCKETS),
  as_of: nullable(
    Type.String({ format: "date-time", description: "When the roll-ups were last brought up to date. Null: not yet." }),
  ),
};

export const ended = {
  completed: Count("That ended so in this time."),
  failed: Count("That ended so in this time."),
  timed_out: Count("That ended so in this time."),
  canceled: Count("That ended so in this time."),
};

export function timed<T extends TProperties>(properties: T) {
  return Type.Object({ starts_at: Timestamp, ...properties });
}
