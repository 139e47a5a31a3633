import type { RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import type { ChartSeries } from "../../parts/chart/chart.tsx";

type Ends = Pick<RunTimeseries["buckets"][number], "completed" | "failed" | "timed_out" | "canceled">;

export const BUCKET_SECS = { "1m": 60, "5m": 300, "1h": 3_600, "1d": 86_400 } as const;

/** Undefined while loading. */
export function timesOf<B extends readonly { starts_at: string }[] | undefined>(buckets: B) {
  return buckets?.map(({ starts_at }) => Date.parse(starts_at) / 1_000);
}

/** Finished runs by status, completed at the bottom. */
export function endsOf(buckets: readonly Ends[] = []): ChartSeries[] {
  return [
    { label: "Completed", family: "success", values: buckets.map(({ completed }) => completed) },
    { label: "Canceled", family: "queued", values: buckets.map(({ canceled }) => canceled) },
    { label: "Timed out", family: "retrying", values: buckets.map(({ timed_out }) => timed_out) },
    { label: "Failed", family: "failed", values: buckets.map(({ failed }) => failed) },
  ];
}

export const STATUS_OF_LABEL: Record<string, string> = {
  Completed: "completed",
  Canceled: "canceled",
  "Timed out": "timed_out",
  Failed: "failed",
};

export type Percentiles = { p50_ms: number | null; p95_ms: number | null; p99_ms: number | null };

export function percentilesOf(buckets: readonly Percentiles[] = []): ChartSeries[] {
  return [
    { label: "p50", values: buckets.map(({ p50_ms }) => p50_ms) },
    { label: "p95", stroke: "dashed", values: buckets.map(({ p95_ms }) => p95_ms) },
    { label: "p99", stroke: "dotted", values: buckets.map(({ p99_ms }) => p99_ms) },
  ];
}

type Delays = { start_delay_p50_ms: number | null; start_delay_p95_ms: number | null };

/** Queue wait over time. */
export function delaysOf(buckets: readonly Delays[] = []): ChartSeries[] {
  return [
    { label: "p50", values: buckets.map(({ start_delay_p50_ms }) => start_delay_p50_ms) },
    { label: "p95", stroke: "dashed", values: buckets.map(({ start_delay_p95_ms }) => start_delay_p95_ms) },
  ];
}

/** Success rate in percent, with the target. */
export function successOf(buckets: readonly { success_rate: number | null }[] = [], target = 0.95): ChartSeries[] {
  return [
    {
      label: "Success rate",
      family: "success",
      values: buckets.map(({ success_rate }) => success_rate && success_rate * 100),
    },
    { label: `Target ${target * 100}%`, family: "queued", stroke: "dashed", values: buckets.map(() => target * 100) },
  ];
}

export function endedOf({ completed, failed, timed_out, canceled }: RunTimeseries["total"]): number {
  return completed + failed + timed_out + canceled;
}
