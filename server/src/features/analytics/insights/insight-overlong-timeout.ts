import type { JobFigures } from "./insight-job-figures.ts";
import { type Draft, draftOf } from "./insight-samples.ts";

const MIN_COMPLETED = 20;
const MIN_TIMEOUT_SECS = 5;
/** The suggested timeout is this multiple of the longest useful dispatch. */
const MARGIN = 2;

/**
 * A hung dispatch costs money until its timeout, so a timeout far beyond any real duration makes each hang expensive.
 */
export function findOverlongTimeout(job: JobFigures): Draft | undefined {
  const good = job.of("completed", "waiting");
  const hung = job.of("timed_out", "retried_after_timeout");
  if (good.dispatches < MIN_COMPLETED || hung.dispatches === 0) return undefined;
  const suggested_secs = Math.max(MIN_TIMEOUT_SECS, Math.ceil((MARGIN * good.longest_ms) / 1_000));
  if (job.timeout_secs < MARGIN * suggested_secs) return undefined;
  const saving = hung.compute_microusd - hung.dispatches * suggested_secs * job.compute_rate_microusd_per_sec;
  if (saving <= 0) return undefined;
  return draftOf(job, {
    rule: "overlong_timeout",
    title: `The timeout of ${job.slug} is ${job.timeout_secs} s, but its longest useful dispatch took ${Math.ceil(good.longest_ms / 1_000)} s`,
    what_to_change: `Lower timeout_secs from ${job.timeout_secs} to ${suggested_secs}: twice the longest useful dispatch, and at least ${MIN_TIMEOUT_SECS} s.`,
    estimated_saving_microusd: saving,
    evidence: {
      timeout_secs: job.timeout_secs,
      suggested_timeout_secs: suggested_secs,
      longest_good_ms: good.longest_ms,
      good_dispatches: good.dispatches,
      timed_out_dispatches: hung.dispatches,
      timed_out_compute_microusd: hung.compute_microusd,
    },
    sample: "timed_out",
  });
}
