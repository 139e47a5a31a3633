import Type, { type Static, type TProperties } from "typebox";
import { EnvironmentRef, Id, JobRef, Timestamp } from "../schema/fields.ts";
import { nullable, oneOf } from "../schema/schema.ts";

export const BUCKETS = ["1m", "5m", "1h", "1d"] as const;

export const Top = Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "Maximum number of entries." });

/** Query parameters of every analytics request: period, bucket size and environment. */
export const periodQuery = {
  from: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Start of the period, rounded down to a full bucket. Default: 24 hours ago.",
    }),
  ),
  to: Type.Optional(
    Type.String({ format: "date-time", description: "End of the period, rounded up to a full bucket. Default: now." }),
  ),
  bucket: Type.Optional(
    oneOf(BUCKETS, "Length of one bucket, aligned to UTC. Default: chosen by the length of the period."),
  ),
  environment_id: Type.Optional(EnvironmentRef),
};

export const RunAnalyticsQuery = Type.Object(
  { ...periodQuery, job_id: Type.Optional(JobRef) },
  { additionalProperties: false },
);
export type RunAnalyticsQuery = Static<typeof RunAnalyticsQuery>;

export const RUN_GROUPS = ["trigger_type", "job_version"] as const;

export const TimeseriesQuery = Type.Object(
  {
    ...periodQuery,
    job_id: Type.Optional(JobRef),
    group_by: Type.Optional(
      oneOf(RUN_GROUPS, "Also return the values of each group. By `trigger_type` there are counts, but no durations."),
    ),
    limit: Type.Optional(Top),
  },
  { additionalProperties: false },
);
export type TimeseriesQuery = Static<typeof TimeseriesQuery>;

export const TopAnalyticsQuery = Type.Object(
  { ...periodQuery, job_id: Type.Optional(JobRef), limit: Type.Optional(Top) },
  { additionalProperties: false },
);
export type TopAnalyticsQuery = Static<typeof TopAnalyticsQuery>;

export const Rate = (description: string) => nullable(Type.Number({ minimum: 0, maximum: 1, description }));
export const Count = (description: string) => Type.Integer({ minimum: 0, description });
export const Ms = (description: string) => nullable(Type.Integer({ minimum: 0, description }));

export const successRate = Rate("completed / (completed + failed + timed_out). Null if none ended.");

/** Percentiles are accurate to within 1%. */
export const percentiles = {
  p50_ms: Ms("Median. Null if nothing was measured."),
  p95_ms: Ms("95th percentile."),
  p99_ms: Ms("99th percentile."),
};

/** The period that a response covers. */
export const reportedPeriod = {
  project_id: Id,
  from: Timestamp,
  to: Timestamp,
  bucket: oneOf(BUCKETS),
  as_of: nullable(
    Type.String({ format: "date-time", description: "When the rollups were last updated. Null if never." }),
  ),
};

export const ended = {
  completed: Count("Ended with status `completed` in this period."),
  failed: Count("Ended with status `failed` in this period."),
  timed_out: Count("Ended with status `timed_out` in this period."),
  canceled: Count("Ended with status `canceled` in this period."),
};

export function timed<T extends TProperties>(properties: T) {
  return Type.Object({ starts_at: Timestamp, ...properties });
}
