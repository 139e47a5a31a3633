import type { TopAnalyticsQuery } from "@millrace/contract/analytics/analytics";
import type { JobsByVersion, PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import type { ProjectCtx } from "../../../platform/context.ts";
import { readRollups } from "../rollups/read-rollups.ts";
import type { Sums } from "../rollups/rollup-rows.ts";
import { NO_DURATIONS } from "./distribution.ts";
import { measureQuery } from "./measure-query.ts";
import { endsOf, measuresOf, percentilesOf, timeOf } from "./measures.ts";
import { openReader, type Reader } from "./open-reader.ts";
import type { Range } from "./range.ts";
import { jobNamed, readAsOf, readJobNames } from "./read-names.ts";
import { readOpenAfter, readRuns } from "./read-runs.ts";

const FAILING_BELOW = 0.8;
const DEGRADED_BELOW = 0.95;
const MINUTE_MS = 60_000;

/** Slowest jobs, throughput and health. */
export async function getPerformance(
  ctx: ProjectCtx,
  query: TopAnalyticsQuery,
): Promise<Omit<PerformanceReport, "$schema">> {
  const reader = await openReader(ctx, "runs", query);
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await jobNamed(ctx, query.job_id);
    const of = subject_ids ? { subject_ids } : {};
    const [[total], times, [waits], jobs, open_runs, as_of] = await Promise.all([
      readRuns(reader, { ...of, split: "all" }),
      readRuns(reader, { ...of, split: "all", by: ["time"], withoutDurations: true }),
      readRuns(reader, { ...of, split: "wait" }),
      readRollups(reader, { ...of, split: "job", by: ["subject"] }),
      readOpenAfter(reader, subject_ids),
      readAsOf(ctx, "runs"),
    ]);
    const { success_rate, mean_ms, p50_ms, p95_ms, p99_ms, ...counts } = measuresOf(total);
    const { slowest, worst } = await rankJobs(reader, jobs, query.limit ?? 20);
    return {
      ...timeOf(ctx, reader.range, as_of),
      health: { status: statusOf(success_rate), success_rate, open_runs, worst_jobs: worst },
      throughput: { ...counts, ...paceOf(ctx, reader.range, counts), busiest: busiestOf(times) },
      duration: { mean_ms, p50_ms, p95_ms, p99_ms },
      start_delay: percentilesOf(waits?.durations ?? NO_DURATIONS),
      slowest_jobs: slowest,
    };
  });
}

function statusOf(success_rate: number | null) {
  if (success_rate === null) return "idle";
  if (success_rate < FAILING_BELOW) return "failing";
  return success_rate < DEGRADED_BELOW ? "degraded" : "healthy";
}

/** Of a range that is not over, only the elapsed part counts. */
function paceOf(
  ctx: ProjectCtx,
  { from_ms, to_ms }: Range,
  counts: Parameters<typeof endsOf>[0] & { created: number },
) {
  const minutes = Math.max(1, (Math.min(to_ms, ctx.watch.nowMs()) - from_ms) / MINUTE_MS);
  const perMinute = (count: number) => Math.round((count / minutes) * 1_000) / 1_000;
  return { created_per_minute: perMinute(counts.created), ended_per_minute: perMinute(endsOf(counts)) };
}

function busiestOf(times: readonly Sums<"runs">[]) {
  const ended = times.map(({ starts_at, counts }) => ({ starts_at: starts_at ?? "", ended: endsOf(counts) }));
  return ended.reduce<(typeof ended)[number] | null>(
    (max, each) => (each.ended > (max?.ended ?? 0) ? each : max),
    null,
  );
}

async function rankJobs(reader: Reader<"runs">, jobs: readonly Sums<"runs">[], max: number) {
  const measured = jobs.map((each) => ({ job_id: each.subject_id, ...measuresOf(each) }));
  const slowest = measured
    .filter(({ p95_ms }) => p95_ms !== null)
    .sort((a, b) => (b.p95_ms ?? 0) - (a.p95_ms ?? 0) || (a.job_id < b.job_id ? -1 : 1))
    .slice(0, max);
  const worst = measured
    .filter(({ failed, timed_out }) => failed + timed_out > 0)
    .sort(
      (a, b) => (a.success_rate ?? 1) - (b.success_rate ?? 1) || b.failed - a.failed || (a.job_id < b.job_id ? -1 : 1),
    )
    .slice(0, max);
  const ids = (some: readonly { job_id: string }[]) => some.map(({ job_id }) => job_id);
  const [names, ends] = await Promise.all([
    readJobNames(reader.ctx, ids([...slowest, ...worst])),
    endsByBucket(reader, ids(slowest)),
  ]);
  const named = <T extends { job_id: string }>(each: T) => ({
    ...each,
    job_slug: names.get(each.job_id)?.slug ?? null,
  });
  const noEnds = { ended_by_bucket: [], failed_by_bucket: [] };
  return {
    slowest: slowest.map((each) => ({ ...named(each), ...(ends.get(each.job_id) ?? noEnds) })),
    worst: worst.map(named),
  };
}

type Ends = { ended_by_bucket: number[]; failed_by_bucket: number[] };

/** How many runs of each of these jobs ended in each bucket, and how many of them failed: for sparklines. */
async function endsByBucket(reader: Reader<"runs">, subject_ids: readonly string[]): Promise<Map<string, Ends>> {
  const { from_ms, to_ms, bucket_ms } = reader.range;
  const none = () => Array<number>(Math.ceil((to_ms - from_ms) / bucket_ms)).fill(0);
  const ends = new Map(subject_ids.map((id) => [id, { ended_by_bucket: none(), failed_by_bucket: none() }]));
  if (subject_ids.length === 0) return ends;
  const rows = await readRollups(reader, {
    ...{ split: "job", by: ["subject", "time"], subject_ids, withoutDurations: true },
  });
  for (const { subject_id, starts_at, counts } of rows) {
    const of = ends.get(subject_id);
    if (!of) continue;
    const index = (Date.parse(starts_at ?? "") - from_ms) / bucket_ms;
    of.ended_by_bucket[index] = endsOf(counts);
    of.failed_by_bucket[index] = counts.failed + counts.timed_out;
  }
  return ends;
}

/** Runs by the version of their job. */
export async function getJobsByVersion(
  ctx: ProjectCtx,
  query: TopAnalyticsQuery,
): Promise<Omit<JobsByVersion, "$schema">> {
  const reader = await openReader(ctx, "runs", query);
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await jobNamed(ctx, query.job_id);
    const of = { split: "job_version", by: ["subject", "part"], ...(subject_ids && { subject_ids }) } as const;
    const [sums, as_of] = await Promise.all([readRollups(reader, of), readAsOf(ctx, "runs")]);
    const shown = ofBusiestJobs(sums, query.limit ?? 20);
    const names = await readJobNames(
      ctx,
      shown.map(({ subject_id }) => subject_id),
      shown.map(({ part }) => part),
    );
    const data = shown.map((each) => {
      const { subject_id: job_id, part: job_version_id } = each;
      const name = names.get(job_id);
      const version = name?.versions[job_version_id] ?? null;
      return { job_id, job_slug: name?.slug ?? null, job_version_id, version, ...measuresOf(each) };
    });
    return { ...timeOf(ctx, reader.range, as_of), data };
  });
}

/** All versions of this many jobs; ids are ordered by time, so the greatest is the newest version. */
function ofBusiestJobs(sums: readonly Sums<"runs">[], max: number): Sums<"runs">[] {
  const busy = new Map<string, number>();
  for (const { subject_id, counts } of sums) busy.set(subject_id, (busy.get(subject_id) ?? 0) + counts.created);
  const jobs = [...busy].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)).slice(0, max);
  return jobs.flatMap(([job_id]) =>
    sums.filter(({ subject_id }) => subject_id === job_id).sort((a, b) => (a.part < b.part ? 1 : -1)),
  );
}
