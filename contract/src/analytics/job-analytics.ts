import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { nullable, oneOf, responseObject } from "../schema/schema.ts";
import { Count, percentiles, reportedPeriod, successRate, timed } from "./analytics.ts";
import { measured, runCounts } from "./run-analytics.ts";

export const JobsByVersion = responseObject(
  "JobsByVersion",
  {
    ...reportedPeriod,
    data: Type.Array(
      Type.Object({
        job_id: Id,
        job_slug: nullable(Type.String({ description: "Null if the job was deleted." })),
        job_version_id: Id,
        version: nullable(Type.Integer()),
        ...measured,
      }),
      { description: "Ordered by number of runs per job, highest first; within a job, newest version first." },
    ),
  },
  "Run metrics by job version.",
);
export type JobsByVersion = Static<typeof JobsByVersion>;

const jobMeasures = {
  job_id: Id,
  job_slug: nullable(Type.String({ description: "Null if the job was deleted." })),
  ...measured,
};

const CountOfEach = (description: string) => Type.Array(Type.Integer({ minimum: 0 }), { description });

export const PerformanceReport = responseObject(
  "PerformanceReport",
  {
    ...reportedPeriod,
    health: Type.Object({
      status: oneOf(
        ["healthy", "degraded", "failing", "idle"],
        "Based on the success rate: `failing` below 0.8, `degraded` below 0.95. `idle` if no run ended.",
      ),
      success_rate: successRate,
      open_runs: Count("Runs that have not ended yet."),
      worst_jobs: Type.Array(Type.Object(jobMeasures), {
        description: "Jobs with failures, ordered by number of failures, highest first.",
      }),
    }),
    throughput: Type.Object({
      ...runCounts,
      created_per_minute: Type.Number(),
      ended_per_minute: Type.Number(),
      busiest: nullable(timed({ ended: Count("Runs that ended in the busiest bucket.") })),
    }),
    duration: Type.Object({ mean_ms: nullable(Type.Number()), ...percentiles }),
    start_delay: Type.Object(percentiles, { description: "Time between when a run was due and when it started." }),
    slowest_jobs: Type.Array(
      Type.Object({
        ...jobMeasures,
        ended_by_bucket: CountOfEach("Runs that ended in each bucket, oldest first, for a sparkline."),
        failed_by_bucket: CountOfEach("How many of them failed or timed out."),
      }),
      { description: "Ordered by p95, highest first." },
    ),
  },
  "Slowest jobs, throughput and health of a project's jobs.",
);
export type PerformanceReport = Static<typeof PerformanceReport>;

export const ErrorGroups = responseObject(
  "ErrorGroups",
  {
    ...reportedPeriod,
    total: Type.Object({ runs: Count("Runs that failed permanently."), attempts: Count("Failed attempts.") }),
    data: Type.Array(
      Type.Object({
        fingerprint: Id,
        message: Type.String({
          description: "Error message without numbers, names and ids, so that similar failures are grouped.",
        }),
        code: nullable(Type.String()),
        http_status: nullable(Type.Integer()),
        job_id: Id,
        job_slug: nullable(Type.String()),
        step_ref: nullable(Type.String({ description: "The workflow step that the runs belong to." })),
        environment_id: Id,
        runs: Count("Runs that failed permanently in this period."),
        attempts: Count("Failed attempts in this period, including those that were retried."),
        first_seen_at: nullable(Timestamp),
        last_seen_at: nullable(Timestamp),
        versions: Type.Array(
          Type.Object({
            job_version_id: Id,
            version: nullable(Type.Integer()),
            attempts: Count("Failed attempts of this version."),
          }),
        ),
        sample_run_ids: Type.Array(Id, { description: "The newest runs that the caller may see." }),
      }),
      { description: "Ordered by frequency, highest first." },
    ),
  },
  "Failures grouped by error.",
);
export type ErrorGroups = Static<typeof ErrorGroups>;
