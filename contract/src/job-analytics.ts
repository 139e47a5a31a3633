import Type, { type Static } from "typebox";
import { answeredTime, Count, percentiles, successRate, timed } from "./analytics.ts";
import { Id, Timestamp } from "./fields.ts";
import { measured, runCounts } from "./run-analytics.ts";
import { answerObject, nullable, oneOf } from "./schema.ts";

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
