import type { JobFigures } from "./insight-job-figures.ts";
import { type Draft, draftOf } from "./insight-samples.ts";

const MIN_RUNS = 5;

/** A job whose runs all timed out pays for its time without a result. */
export function findTimeouts(job: JobFigures): Draft | undefined {
  const ended = job.of("timed_out", "silent");
  const others = job.of("completed", "waiting", "failed");
  if (ended.dispatches < MIN_RUNS || others.dispatches > 0) return undefined;
  const timedOut = job.of("timed_out", "silent", "retried_after_timeout", "retried_after_silence");
  if (timedOut.cost_microusd === 0) return undefined;
  return draftOf(job, {
    rule: "always_times_out",
    title: `Every run of ${job.slug} times out`,
    what_to_change: `No run completed in this period. Raise timeout_secs (now ${job.timeout_secs}) above what the work takes, respond with 202 and send heartbeats, split the work into smaller runs, or pause the job until it is fixed.`,
    estimated_saving_microusd: timedOut.cost_microusd,
    evidence: {
      timed_out_runs: ended.dispatches,
      timed_out_dispatches: timedOut.dispatches,
      completed_runs: 0,
      timeout_secs: job.timeout_secs,
      wasted_compute_microusd: timedOut.compute_microusd,
      wasted_reported_microusd: timedOut.cost_microusd - timedOut.compute_microusd,
    },
    sample: "timed_out",
  });
}
