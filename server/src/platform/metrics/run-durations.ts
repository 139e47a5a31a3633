import type { Registry } from "prom-client";
import { plainHistogram, type Series } from "./plain-histogram.ts";

const RUN_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400];

/**
 * Jobs with series of their own. Each has up to 68 of them (four statuses, 17 lines), so this many are 7,000 lines,
 * which a scrape prints in about ten milliseconds.
 */
const MAX_JOBS = 100;

export type JobLabels = { project: string; job: string };
const OTHER: JobLabels = { project: "other", job: "other" };

export type RunDurations = {
  /** Whether `name` is needed for this job: it has no series yet, and there is room for them. */
  isNew: (job_id: string) => boolean;
  /** The labels of a job. The first `MAX_JOBS` keep them until the process ends. */
  name: (job_id: string, labels: JobLabels) => void;
  /** The series of a job, or the shared one of all jobs without a series of their own. */
  seriesOf: (job_id: string, status: string) => Series;
};

/** How long runs took from their first start to their end, by job. */
export function runDurations(registry: Registry): RunDurations {
  const named = new Map<string, JobLabels>();
  const histogram = plainHistogram(
    {
      name: "millrace_run_duration_seconds",
      help: "Time from the first start of a run to its end, by job.",
      labelNames: ["project", "job", "status"],
      buckets: RUN_SECONDS,
    },
    registry,
  );
  return {
    isNew: (job_id) => named.size < MAX_JOBS && !named.has(job_id),
    name: (job_id, labels) => {
      if (named.size < MAX_JOBS) named.set(job_id, labels);
    },
    seriesOf: (job_id, status) => histogram.series({ ...(named.get(job_id) ?? OTHER), status }),
  };
}
