import Type, { type Static, type TProperties } from "typebox";
import { EnvironmentFilter, Id, Timestamp } from "./fields.ts";
import { TRIGGER_TYPES } from "./runs.ts";
import { answerObject, nullable, oneOf } from "./schema.ts";

export const BUCKETS = ["1m", "5m", "1h", "1d"] as const;

const JobFilter = Type.String({ minLength: 1, maxLength: 63, description: "Job id or slug." });
const Top = Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "How many are named." });

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
  environment_id: Type.Optional(EnvironmentFilter),
};

export const RunAnalyticsQuery = Type.Object(
  { ...analyticsTime, job_id: Type.Optional(JobFilter) },
  { additionalProperties: false },
);
export type RunAnalyticsQuery = Static<typeof RunAnalyticsQuery>;

export const TopAnalyticsQuery = Type.Object(
  { ...analyticsTime, job_id: Type.Optional(JobFilter), limit: Type.Optional(Top) },
  { additionalProperties: false },
);
export type TopAnalyticsQuery = Static<typeof TopAnalyticsQuery>;

const Rate = (description: string) => nullable(Type.Number({ minimum: 0, maximum: 1, description }));
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Ms = (description: string) => nullable(Type.Integer({ minimum: 0, description }));

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

const runCounts = {
  created: Count("Runs that were created in this time."),
  ...ended,
  retried: Count("Tries that failed and were followed by another."),
};

export const RunsByTrigger = answerObject(
  "RunsByTrigger",
  {
    ...answeredTime,
    total: Count("Runs that were created in this time."),
    data: Type.Array(
      Type.Object({
        trigger_type: oneOf(TRIGGER_TYPES),
        ...runCounts,
        share: Rate("Of all that were created."),
        success_rate: successRate,
        buckets: Type.Array(timed({ created: Count("Created in this bucket.") })),
      }),
      { description: "Every kind, the most frequent first." },
    ),
  },
  "Runs by what started them.",
);
export type RunsByTrigger = Static<typeof RunsByTrigger>;

export const DurationDistribution = answerObject(
  "DurationDistribution",
  {
    ...answeredTime,
    count: Count("Runs that had begun and ended in this time."),
    mean_ms: nullable(Type.Number({ description: "Exact." })),
    percentiles: Type.Array(
      Type.Object({
        percentile: Type.Number({ description: "0 is the shortest, 100 the longest." }),
        duration_ms: Type.Integer({ description: "Within 1 % of the exact one." }),
      }),
    ),
    percentile_buckets: Type.Array(
      Type.Object({
        from_percentile: Type.Number(),
        to_percentile: Type.Number(),
        from_ms: Type.Integer(),
        to_ms: Type.Integer(),
        count: Count("Runs between these percentiles."),
      }),
      { description: "The runs in order of their duration, cut at percentiles." },
    ),
    histogram: Type.Array(
      Type.Object({
        from_ms: Type.Integer({ description: "Longer than this." }),
        to_ms: Type.Integer({ description: "And at most this, give or take 1 %." }),
        count: Count("Runs."),
      }),
      { description: "By duration, in steps of 1, 2, 5, 10, …, from the first with runs to the last." },
    ),
  },
  "How long runs took, from their first start to their end.",
);
export type DurationDistribution = Static<typeof DurationDistribution>;

const measured = { ...runCounts, success_rate: successRate, mean_ms: nullable(Type.Number()), ...percentiles };

export const JobsByVersion = answerObject(
  "JobsByVersion",
  {
    ...answeredTime,
    data: Type.Array(
      Type.Object({
        job_id: Id,
        job_slug: nullable(Type.String({ description: "Null: the job is gone." })),
        job_version_id: Id,
        version: nullable(Type.Integer()),
        ...measured,
      }),
      { description: "The newest version of a job first; jobs with most runs first." },
    ),
  },
  "Runs by the version of their job.",
);
export type JobsByVersion = Static<typeof JobsByVersion>;

const jobMeasures = {
  job_id: Id,
  job_slug: nullable(Type.String({ description: "Null: the job is gone." })),
  ...measured,
};

const CountOfEach = (description: string) => Type.Array(Type.Integer({ minimum: 0 }), { description });

export const PerformanceReport = answerObject(
  "PerformanceReport",
  {
    ...answeredTime,
    health: Type.Object({
      status: oneOf(
        ["healthy", "degraded", "failing", "idle"],
        "By the success rate: `failing` below 0.8, `degraded` below 0.95; `idle` when nothing ended.",
      ),
      success_rate: successRate,
      open_runs: Count("Runs that have not ended, now."),
      worst_jobs: Type.Array(Type.Object(jobMeasures), {
        description: "Those that failed most often, of those that failed at all.",
      }),
    }),
    throughput: Type.Object({
      ...runCounts,
      created_per_minute: Type.Number(),
      ended_per_minute: Type.Number(),
      busiest: nullable(timed({ ended: Count("In the busiest bucket.") })),
    }),
    duration: Type.Object({ mean_ms: nullable(Type.Number()), ...percentiles }),
    start_delay: Type.Object(percentiles, { description: "From when a run was due until it began." }),
    slowest_jobs: Type.Array(
      Type.Object({
        ...jobMeasures,
        ended_by_bucket: CountOfEach("Runs that ended in each bucket of the time, oldest first: for a small picture."),
        failed_by_bucket: CountOfEach("Of those, how many failed or timed out."),
      }),
      { description: "By p95." },
    ),
  },
  "Slowest jobs, throughput and health.",
);
export type PerformanceReport = Static<typeof PerformanceReport>;

export const RunTimeseries = answerObject(
  "RunTimeseries",
  {
    ...answeredTime,
    total: Type.Object(measured),
    buckets: Type.Array(
      timed({
        ...runCounts,
        success_rate: successRate,
        ...percentiles,
        start_delay_p50_ms: Ms("From when a run was due until it began."),
        start_delay_p95_ms: Ms("From when a run was due until it began."),
        open_runs: Count("Runs that had not ended at the end of the bucket, or now."),
      }),
      { description: "Every bucket of the time, those without runs too, oldest first." },
    ),
  },
  "Runs over time.",
);
export type RunTimeseries = Static<typeof RunTimeseries>;

export const ErrorGroups = answerObject(
  "ErrorGroups",
  {
    ...answeredTime,
    total: Type.Object({ runs: Count("Runs that failed for good."), attempts: Count("Tries that failed.") }),
    data: Type.Array(
      Type.Object({
        fingerprint: Id,
        message: Type.String({ description: "Without numbers, names and ids, so that failures of one kind are one." }),
        code: nullable(Type.String()),
        http_status: nullable(Type.Integer()),
        job_id: Id,
        job_slug: nullable(Type.String()),
        step_ref: nullable(Type.String({ description: "The step of a workflow that the runs belong to." })),
        environment_id: Id,
        runs: Count("Runs that failed for good in this time."),
        attempts: Count("Tries that failed in this time, those among them that were tried again."),
        first_seen_at: nullable(Timestamp),
        last_seen_at: nullable(Timestamp),
        versions: Type.Array(
          Type.Object({ job_version_id: Id, version: nullable(Type.Integer()), attempts: Count("Of this version.") }),
        ),
        sample_run_ids: Type.Array(Id, { description: "The newest few that the caller may see." }),
      }),
      { description: "The most frequent first." },
    ),
  },
  "Failures of runs by what they have in common.",
);
export type ErrorGroups = Static<typeof ErrorGroups>;
