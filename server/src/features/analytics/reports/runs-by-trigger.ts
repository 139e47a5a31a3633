import type { RunAnalyticsQuery } from "@millrace/contract/analytics";
import type { RunsByTrigger } from "@millrace/contract/run-analytics";
import { TRIGGER_TYPES } from "@millrace/contract/runs";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { Sums } from "../rollups/rollup-rows.ts";
import { fillTimes } from "./fill-times.ts";
import { measureQuery } from "./measure-query.ts";
import { measuresOf, ratio, timeOf } from "./measures.ts";
import { openReader } from "./open-reader.ts";
import type { Range } from "./range.ts";
import { jobNamed, readAsOf } from "./read-names.ts";
import { readRuns } from "./read-runs.ts";

/** Runs by what started them. */
export async function getRunsByTrigger(
  ctx: ProjectCtx,
  query: RunAnalyticsQuery,
): Promise<Omit<RunsByTrigger, "$schema">> {
  const reader = await openReader(ctx, "runs", query);
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await jobNamed(ctx, query.job_id);
    const of = { split: "trigger", ...(subject_ids && { subject_ids }) } as const;
    const [sums, times, as_of] = await Promise.all([
      readRuns(reader, { ...of, by: ["part"] }),
      readRuns(reader, { ...of, by: ["time", "part"] }),
      readAsOf(ctx, "runs"),
    ]);
    const total = sums.reduce((sum, { counts }) => sum + counts.created, 0);
    const data = TRIGGER_TYPES.map((trigger_type) => {
      const {
        mean_ms: _m,
        p50_ms: _p50,
        p95_ms: _p95,
        p99_ms: _p99,
        ...measures
      } = measuresOf(sums.find(({ part }) => part === trigger_type));
      const share = ratio(measures.created, total);
      return { trigger_type, ...measures, share, buckets: bucketsOf(reader.range, times, trigger_type) };
    });
    return { ...timeOf(ctx, reader.range, as_of), total, data: data.sort((a, b) => b.created - a.created) };
  });
}

function bucketsOf(range: Range, times: readonly Sums<"runs">[], trigger_type: string) {
  const rows = times
    .filter(({ part }) => part === trigger_type)
    .map(({ starts_at, counts }) => ({ starts_at: starts_at ?? "", created: counts.created }));
  return fillTimes(range, rows, { created: 0 });
}
