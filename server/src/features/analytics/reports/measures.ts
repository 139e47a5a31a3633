import type { ProjectCtx } from "../../../platform/context.ts";
import { type Durations, NO_DURATIONS, quantiles } from "./distribution.ts";
import type { Range } from "./range.ts";
import type { Counts } from "./series.ts";

type Ended = Pick<Counts<"runs">, "completed" | "failed" | "timed_out" | "canceled">;

/** Canceled runs do not count: they say nothing about success. */
export function successRate({ completed, failed, timed_out }: Ended): number | null {
  return ratio(completed, completed + failed + timed_out);
}

export function endsOf({ completed, failed, timed_out, canceled }: Ended): number {
  return completed + failed + timed_out + canceled;
}

export function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.min(1, Math.round((part / whole) * 1e6) / 1e6);
}

export function percentilesOf(durations: Durations) {
  const { mean_ms: _, ...percentiles } = durationsOf(durations, 0);
  return percentiles;
}

/** The mean is exact: it comes from the stored sum, not from the histogram. */
export function durationsOf(durations: Durations, sum_ms: number) {
  const { count, values } = quantiles(durations, SHARES);
  const [p50_ms = null, p95_ms = null, p99_ms = null] = values;
  return { mean_ms: meanOf(count, sum_ms), p50_ms, p95_ms, p99_ms };
}

const SHARES = [0.5, 0.95, 0.99];

export function meanOf(count: number, sum_ms: number): number | null {
  return count === 0 ? null : Math.round((sum_ms / count) * 10) / 10;
}

/** The fields that every response has about its range. */
export function timeOf({ project_id }: ProjectCtx, { from, to, bucket }: Range, as_of: string | null) {
  return { project_id, from, to, bucket, as_of };
}

const NO_RUNS: Counts<"runs"> = {
  ...{ created: 0, completed: 0, failed: 0, timed_out: 0, canceled: 0, retried: 0, duration_ms: 0 },
};

/** Counts, rates and durations of some runs. */
export function measuresOf(sums: { counts: Counts<"runs">; durations: Durations } | undefined) {
  const { counts, durations } = sums ?? { counts: NO_RUNS, durations: NO_DURATIONS };
  const { duration_ms, ...shown } = counts;
  return {
    ...shown,
    success_rate: successRate(shown),
    ...durationsOf(durations, duration_ms),
  };
}
