import { OUTCOMES } from "@millrace/contract/cost-analytics";
import type { DispatchOutcome } from "../../flow/dispatch-outcome.ts";
import type { JobFigures } from "./insight-job-figures.ts";
import { type Draft, draftOf } from "./insight-samples.ts";

const LEAST_RETRIED = 10;
const LEAST_SHARE = 0.1;

/** Dispatches that had to be repeated were paid for nothing. */
export function judgeRetries(job: JobFigures, { isTimeoutCounted }: { isTimeoutCounted: boolean }): Draft | undefined {
  const wasted: DispatchOutcome[] = ["retried", "retried_after_silence", "retried_after_crash"];
  const retried = job.of(...wasted, ...(isTimeoutCounted ? [] : (["retried_after_timeout"] as const)));
  const all = job.of(...OUTCOMES);
  const share = retried.dispatches / Math.max(1, all.dispatches);
  if (retried.dispatches < LEAST_RETRIED || share < LEAST_SHARE || retried.cost_microusd === 0) return undefined;
  const completed = job.of("completed").dispatches;
  const failed = job.of("failed", "timed_out", "silent").dispatches;
  return draftOf(job, {
    rule: "retry_waste",
    title: `${percent(share)} of the dispatches of ${job.slug} had to be repeated`,
    what_to_change: failed > completed ? mostlyInVain(job) : mostlyHealed(job),
    estimated_saving_microusd: retried.cost_microusd,
    evidence: {
      dispatches: all.dispatches,
      retried_dispatches: retried.dispatches,
      retried_share: Math.round(share * 10_000) / 10_000,
      wasted_compute_microusd: retried.compute_microusd,
      wasted_reported_microusd: retried.cost_microusd - retried.compute_microusd,
      completed_runs: completed,
      failed_runs: failed,
      max_attempts: job.max_attempts,
    },
    sample: "retried",
  });
}

function mostlyInVain({ max_attempts }: JobFigures): string {
  return `More runs fail than complete, whatever is repeated: lower max_attempts (now ${max_attempts}), and answer 4xx, or fail with retryable: false, where repeating cannot help.`;
}

function mostlyHealed({ max_attempts }: JobFigures): string {
  return `Repeating helps, so the cause passes by itself: see in the errors of the first attempts what is overloaded or not ready, lower max_concurrency or set a rate limit, and space the attempts out with retry_strategy (max_attempts is ${max_attempts}).`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
