import type { RunAnalyticsQuery, TimeseriesQuery } from "@millrace/contract/analytics/analytics";
import type { RunsByTrigger, RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import { TRIGGER_TYPES } from "@millrace/contract/runs/runs";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { Sums } from "../rollups/rollup-rows.ts";
import { measureQuery } from "./measure-query.ts";
import { endsOf, measuresOf, percentilesOf, ratio, timeOf } from "./measures.ts";
import { openReader, type Reader } from "./open-reader.ts";
import type { Range } from "./range.ts";
import { nameVersions, readGroups } from "./read-groups.ts";
import { jobNamed, readAsOf, readJobNames } from "./read-names.ts";
import { readOpenAfter, readRuns, splitOf } from "./read-runs.ts";
import { type Counts, fillTimes } from "./series.ts";

/** Runs over time, in every bucket: for charts. */
export async function getRunTimeseries(
  ctx: ProjectCtx,
  query: TimeseriesQuery,
): Promise<Omit<RunTimeseries, "$schema">> {
  const reader = await openReader(ctx, "runs", query);
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await jobNamed(ctx, query.job_id);
    const of = { by: ["time"], ...(subject_ids && { subject_ids }) } as const;
    const [[all], times, waits, openAfter, grouped, as_of] = await Promise.all([
      readRuns(reader, { ...(subject_ids && { subject_ids }), split: "all" }),
      readRuns(reader, { ...of, split: "all" }),
      readRuns(reader, { ...of, split: "wait" }),
      readOpenAfter(reader, subject_ids),
      query.group_by ? groupRuns(reader, query, subject_ids) : null,
      readAsOf(ctx, "runs"),
    ]);
    const delays = new Map(waits.map(({ starts_at, durations }) => [starts_at, percentilesOf(durations)]));
    const buckets = fillTimes(reader.range, times.map(presentBucket), EMPTY).map((bucket) => ({
      ...bucket,
      start_delay_p50_ms: delays.get(bucket.starts_at)?.p50_ms ?? null,
      start_delay_p95_ms: delays.get(bucket.starts_at)?.p95_ms ?? null,
    }));
    const total = measuresOf(all);
    return { ...timeOf(ctx, reader.range, as_of), total, buckets: withOpen(buckets, openAfter), grouped };
  });
}

/** By what started the runs, whose durations are not kept, or by the version of their job. */
async function groupRuns(
  reader: Reader<"runs">,
  { group_by, limit }: TimeseriesQuery,
  subject_ids: readonly string[] | undefined,
) {
  const split = group_by === "job_version" ? group_by : splitOf(reader, "trigger", subject_ids);
  const { groups, has_more } = await readGroups(reader, {
    ...{ split, limit, rankBy: "created", present: presentBucket, empty: EMPTY, ...(subject_ids && { subject_ids }) },
  });
  if (group_by === "trigger_type")
    return { groups: groups.map(({ part, buckets }) => ({ id: null, name: part, value: null, buckets })), has_more };
  return { groups: await nameVersions(groups, (...ids) => readJobNames(reader.ctx, ...ids)), has_more };
}

function presentBucket(sums: Sums<"runs">) {
  const { mean_ms: _, ...measures } = measuresOf(sums);
  return { starts_at: sums.starts_at ?? "", ...measures };
}

const { mean_ms: _mean, ...EMPTY } = measuresOf(undefined);

type Flow = Pick<Counts<"runs">, "created" | "completed" | "failed" | "timed_out" | "canceled">;

/** Backwards from the open runs after the last bucket, by the runs that began and ended in each. */
function withOpen<T extends Flow>(buckets: readonly T[], openAfter: number): (T & { open_runs: number })[] {
  let open = openAfter;
  return buckets
    .toReversed()
    .map((bucket) => {
      const shown = { ...bucket, open_runs: Math.max(0, open) };
      open -= bucket.created - endsOf(bucket);
      return shown;
    })
    .reverse();
}

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
