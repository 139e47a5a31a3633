import Type, { type Static } from "typebox";
import { answeredTime, Count, ended, Ms, percentiles, Rate, successRate, timed } from "./analytics.ts";
import { TRIGGER_TYPES } from "./runs.ts";
import { answerObject, nullable, oneOf } from "./schema.ts";

export const runCounts = {
  created: Count("Runs that were created in this time."),
  ...ended,
  retried: Count("Tries that failed and were followed by another."),
};

export const measured = { ...runCounts, success_rate: successRate, mean_ms: nullable(Type.Number()), ...percentiles };

export const RunTimeseries = answerObject(
  "RunTimeseries",
  {
    ...answeredTime,
    total: Type.Object(measured),
    buckets: Type.Array(
      timed({
        ...runCounts,
        success_rate: successRate,
        ...percentiles,
        start_delay_p50_ms: Ms("From when a run was due until it began."),
        start_delay_p95_ms: Ms("From when a run was due until it began."),
        open_runs: Count("Runs that had not ended at the end of the bucket, or now."),
      }),
      { description: "Every bucket of the time, those without runs too, oldest first." },
    ),
  },
  "Runs over time.",
);
export type RunTimeseries = Static<typeof RunTimeseries>;

export const RunsByTrigger = answerObject(
  "RunsByTrigger",
  {
    ...answeredTime,
    total: Count("Runs that were created in this time."),
    data: Type.Array(
      Type.Object({
        trigger_type: oneOf(TRIGGER_TYPES),
        ...runCounts,
        share: Rate("Of all that were created."),
        success_rate: successRate,
        buckets: Type.Array(timed({ created: Count("Created in this bucket.") })),
      }),
      { description: "Every kind, the most frequent first." },
    ),
  },
  "Runs by what started them.",
);
export type RunsByTrigger = Static<typeof RunsByTrigger>;

export const DurationDistribution = answerObject(
  "DurationDistribution",
  {
    ...answeredTime,
    count: Count("Runs that had begun and ended in this time."),
    mean_ms: nullable(Type.Number({ description: "Exact." })),
    percentiles: Type.Array(
      Type.Object({
        percentile: Type.Number({ description: "0 is the shortest, 100 the longest." }),
        duration_ms: Type.Integer({ description: "Within 1 % of the exact one." }),
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
      { description: "The runs in order of their duration, cut at percentiles." },
    ),
    histogram: Type.Array(
      Type.Object({
        from_ms: Type.Integer({ description: "Longer than this." }),
        to_ms: Type.Integer({ description: "And at most this, give or take 1 %." }),
        count: Count("Runs."),
      }),
      { description: "By duration, in steps of 1, 2, 5, 10, …, from the first with runs to the last." },
    ),
  },
  "How long runs took, from their first start to their end.",
);
export type DurationDistribution = Static<typeof DurationDistribution>;
