import Type, { type Static } from "typebox";
import { TRIGGER_TYPES } from "../runs/runs.ts";
import { nullable, oneOf, responseObject } from "../schema/schema.ts";
import { Count, ended, Ms, percentiles, Rate, reportedPeriod, successRate, timed } from "./analytics.ts";
import { grouped } from "./grouped.ts";

export const runCounts = {
  created: Count("Runs created in this period."),
  ...ended,
  retried: Count("Failed attempts that were retried."),
};

export const measured = { ...runCounts, success_rate: successRate, mean_ms: nullable(Type.Number()), ...percentiles };

export const RunTimeseries = responseObject(
  "RunTimeseries",
  {
    ...reportedPeriod,
    total: Type.Object(measured),
    buckets: Type.Array(
      timed({
        ...runCounts,
        success_rate: successRate,
        ...percentiles,
        start_delay_p50_ms: Ms("Time between when a run was due and when it started."),
        start_delay_p95_ms: Ms("Time between when a run was due and when it started."),
        open_runs: Count("Runs that had not ended at the end of the bucket, or by now if the bucket is not over."),
      }),
      { description: "Every bucket of the period, including empty ones, oldest first." },
    ),
    grouped: grouped({ ...runCounts, success_rate: successRate, ...percentiles }, "number of runs created"),
  },
  "Run metrics over time.",
);
export type RunTimeseries = Static<typeof RunTimeseries>;

export const RunsByTrigger = responseObject(
  "RunsByTrigger",
  {
    ...reportedPeriod,
    total: Count("Runs created in this period."),
    data: Type.Array(
      Type.Object({
        trigger_type: oneOf(TRIGGER_TYPES),
        ...runCounts,
        share: Rate("Share of all created runs."),
        success_rate: successRate,
        buckets: Type.Array(timed({ created: Count("Runs created in this bucket.") })),
      }),
      { description: "Every trigger type, most frequent first." },
    ),
  },
  "Run metrics by trigger type.",
);
export type RunsByTrigger = Static<typeof RunsByTrigger>;

export const DurationDistribution = responseObject(
  "DurationDistribution",
  {
    ...reportedPeriod,
    count: Count("Runs that ended in this period, except those canceled before they started."),
    mean_ms: nullable(Type.Number({ description: "Exact." })),
    percentiles: Type.Array(
      Type.Object({
        percentile: Type.Number({ description: "0 is the shortest run, 100 the longest." }),
        duration_ms: Type.Integer({ description: "Accurate to within 1%." }),
      }),
    ),
    percentile_buckets: Type.Array(
      Type.Object({
        from_percentile: Type.Number(),
        to_percentile: Type.Number(),
        from_ms: Type.Integer(),
        to_ms: Type.Integer(),
        count: Count("Runs between these percentiles."),
      }),
      { description: "Runs ordered by duration, split at percentiles." },
    ),
    histogram: Type.Array(
      Type.Object({
        from_ms: Type.Integer({ description: "Exclusive lower bound." }),
        to_ms: Type.Integer({ description: "Inclusive upper bound, accurate to within 1%." }),
        count: Count("Number of runs."),
      }),
      { description: "Histogram with bounds 1, 2, 5, 10, …, from the first bucket with runs to the last." },
    ),
  },
  "Durations of runs, from first start to end.",
);
export type DurationDistribution = Static<typeof DurationDistribution>;
