import { OUTCOMES } from "@millrace/contract/analytics/cost-fields";
import type { DispatchOutcome } from "../../../flow/runs/dispatch/dispatch-cost.ts";
import type { JobFigures } from "./insight-job-figures.ts";
import { type Draft, draftOf, type Sampled } from "./insight-samples.ts";

const MIN_RETRIED = 10;
const MIN_SHARE = 0.1;

/** Dispatches that had to be repeated cost money without a result. */
export function findRetryWaste(
  job: JobFigures,
  { isTimeoutCounted }: { isTimeoutCounted: boolean },
): Draft | undefined {
  const wasted: DispatchOutcome[] = ["retried", "retried_after_silence", "retried_after_crash"];
  const retried = job.of(...wasted, ...(isTimeoutCounted ? [] : (["retried_after_timeout"] as const)));
  const all = job.of(...OUTCOMES);
  const share = retried.dispatches / Math.max(1, all.dispatches);
  if (retried.dispatches < MIN_RETRIED || share < MIN_SHARE || retried.cost_microusd === 0) return undefined;
  const evidence = {
    dispatches: all.dispatches,
    retried_dispatches: retried.dispatches,
    retried_share: Math.round(share * 10_000) / 10_000,
    wasted_compute_microusd: retried.compute_microusd,
    wasted_reported_microusd: retried.cost_microusd - retried.compute_microusd,
    completed_runs: job.of("completed").dispatches,
    failed_runs: job.of("failed", "timed_out", "silent").dispatches,
    max_attempts: job.max_attempts,
  };
  return draftOf(job, {
    rule: "retry_waste",
    title: `${percent(share)} of the dispatches of ${job.slug} had to be retried`,
    what_to_change: spaceOut(job),
    estimated_saving_microusd: retried.cost_microusd,
    evidence,
    sample: "retried",
    advise: (found) => ({
      what_to_change: adviceFor(job, found),
      evidence: {
        ...evidence,
        sampled_runs: found.sampled_runs,
        sampled_retried_runs: found.ended,
        sampled_retried_completed_runs: found.completed,
      },
    }),
  });
}

/** Only runs that were retried show whether retrying helps. */
function adviceFor(job: JobFigures, { ended, completed }: Sampled): string {
  if (ended === 0) return spaceOut(job);
  return 2 * completed < ended ? retriesRarelyHelp(job, { ended, completed }) : retriesHelp(job, { ended, completed });
}

type Ends = Pick<Sampled, "ended" | "completed">;

function retriesRarelyHelp({ max_attempts }: JobFigures, { ended, completed }: Ends): string {
  return `Retries rarely help: of the last ${ended} retried runs, ${completed} completed. Lower max_attempts (now ${max_attempts}), and respond with 4xx, or fail with retryable: false, where retrying cannot help.`;
}

function retriesHelp(job: JobFigures, { ended, completed }: Ends): string {
  return `Retries help, so the cause is transient: of the last ${ended} retried runs, ${completed} completed. ${spaceOut(job)}`;
}

function spaceOut({ max_attempts }: JobFigures): string {
  return `Check the errors of the first attempts for what is overloaded or not ready, lower max_concurrency or set a rate limit, and space the attempts out with retry_strategy (max_attempts is ${max_attempts}).`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
