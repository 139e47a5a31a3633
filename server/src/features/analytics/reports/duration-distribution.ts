import type { RunAnalyticsQuery } from "@millrace/contract/analytics/analytics";
import type { DurationDistribution } from "@millrace/contract/analytics/run-analytics";
import type { ProjectCtx } from "../../../platform/context.ts";
import { middleOf } from "../rollups/sketch.ts";
import { binsOf, type Durations, NO_DURATIONS, quantiles } from "./distribution.ts";
import { measureQuery } from "./measure-query.ts";
import { meanOf, timeOf } from "./measures.ts";
import { openReader } from "./open-reader.ts";
import { jobNamed, readAsOf } from "./read-names.ts";
import { readRuns } from "./read-runs.ts";

const PERCENTILES = [0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 100];

/** How long runs took: percentiles, the ranges between them, and a histogram. */
export async function getDurationDistribution(
  ctx: ProjectCtx,
  query: RunAnalyticsQuery,
): Promise<Omit<DurationDistribution, "$schema">> {
  const reader = await openReader(ctx, "runs", query);
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await jobNamed(ctx, query.job_id);
    const [[sums], as_of] = await Promise.all([
      readRuns(reader, { split: "all", ...(subject_ids && { subject_ids }) }),
      readAsOf(ctx, "runs"),
    ]);
    const durations = sums?.durations ?? NO_DURATIONS;
    return {
      ...timeOf(ctx, reader.range, as_of),
      ...percentilesAndBetween(durations, sums?.counts.duration_ms ?? 0),
      histogram: histogramOf(durations),
    };
  });
}

function percentilesAndBetween(durations: Durations, sum_ms: number) {
  const { count, values } = quantiles(
    durations,
    PERCENTILES.map((each) => each / 100),
  );
  const percentiles = PERCENTILES.flatMap((percentile, index) => {
    const duration_ms = values[index];
    return duration_ms == null ? [] : { percentile, duration_ms };
  });
  const percentile_buckets = percentiles.slice(1).map(({ percentile, duration_ms }, index) => {
    const before = percentiles[index] ?? { percentile: 0, duration_ms: 0 };
    const ranked = (share: number) => Math.ceil((share / 100) * count - 1e-9);
    return {
      ...{ from_percentile: before.percentile, to_percentile: percentile },
      ...{ from_ms: before.duration_ms, to_ms: duration_ms },
      count: ranked(percentile) - ranked(before.percentile),
    };
  });
  return { count, mean_ms: meanOf(count, sum_ms), percentiles, percentile_buckets };
}

/** Bounds at 0, 1, 2, 5, 10, …: a bin belongs to the range that contains its middle. */
function histogramOf(durations: Durations): DurationDistribution["histogram"] {
  const counts = new Map<number, number>();
  for (const { bin, count } of binsOf(durations)) {
    const index = BOUNDS.findIndex((bound) => middleOf(bin) <= bound);
    const bucket = index === -1 ? BOUNDS.length - 1 : index;
    counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  }
  if (counts.size === 0) return [];
  const [first, last] = [Math.min(...counts.keys()), Math.max(...counts.keys())];
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const at = first + index;
    return { from_ms: BOUNDS[at - 1] ?? 0, to_ms: BOUNDS[at] ?? 0, count: counts.get(at) ?? 0 };
  });
}

const BOUNDS = [0, ...Array.from({ length: 11 }, (_, power) => [1, 2, 5].map((each) => each * 10 ** power)).flat()];
