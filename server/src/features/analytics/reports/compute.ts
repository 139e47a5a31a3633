import type { ComputeQuery, ComputeReport } from "@millrace/contract/analytics/compute-report";
import { OUTCOMES } from "@millrace/contract/analytics/cost-fields";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { costRows, exactSum } from "../costs/cost-queries.ts";
import { grainOf } from "../costs/costs.ts";
import { COSTS_KEPT, readComputeRate } from "../costs/costs-period.ts";
import { measureQuery } from "./measure-query.ts";
import { type Range, readRange, refuseExpired } from "./range.ts";
import { fillTimes } from "./series.ts";

type Report = Omit<ComputeReport, "$schema">;
const USEFUL: ReadonlySet<string> = new Set(["completed", "waiting"]);

/** How busy the project's runs were, how their dispatches ended, and what they cost. */
export async function getCompute(ctx: ProjectCtx, query: ComputeQuery): Promise<Report> {
  const range = readRange(ctx, query);
  refuseExpired(ctx, range, COSTS_KEPT);
  return measureQuery(ctx, range, async () => {
    const rows = await costRows(ctx, query);
    const [sums, rate] = await Promise.all([
      sumBusy(ctx, rows(["job"], { ...range, grain: grainOf(range) }), range),
      readComputeRate(ctx),
    ]);
    const topJobs = ofJobs(sums).slice(0, query.limit ?? 20);
    const limits = await readJobLimits(
      ctx,
      topJobs.map((job) => job.job_id),
    );
    return present(ctx, range, { sums, topJobs, limits, rate });
  });
}

type Read = {
  sums: BusySums[];
  topJobs: (BusySums & { job_id: string })[];
  limits: Map<string, JobLimit>;
  rate: number;
};

function ofJobs(sums: readonly BusySums[]): (BusySums & { job_id: string })[] {
  return sums
    .filter((each): each is BusySums & { job_id: string } => each.job_id !== null)
    .toSorted(
      (a, b) => b.compute_microusd - a.compute_microusd || b.wall_ms - a.wall_ms || (a.job_id < b.job_id ? -1 : 1),
    );
}

function present(ctx: ProjectCtx, range: Range, { sums, topJobs, limits, rate }: Read): Report {
  const passed = passedMs(ctx, range.from_ms, range.to_ms);
  const all = sums.find((each) => each.outcome === null && each.job_id === null && each.starts_at === null) ?? NOTHING;
  const buckets = timesOf(ctx, range, sums);
  return {
    ...{ project_id: ctx.project_id, from: range.from, to: range.to, bucket: range.bucket },
    compute_rate_microusd_per_sec: rate,
    ...busyOf(all, passed),
    peak_in_flight: Math.max(0, ...buckets.map((each) => each.average_in_flight)),
    useful_share: usefulShare(sums, all.wall_ms),
    outcomes: outcomesOf(sums),
    jobs: topJobs.map((job) => presentJob(job, limits.get(job.job_id), passed)),
    buckets,
  };
}

function presentJob(job: BusySums & { job_id: string }, limit: JobLimit | undefined, passed: number) {
  const busy = busyOf(job, passed);
  const max_concurrency = limit?.max_concurrency ?? null;
  const utilization = max_concurrency === null ? null : rounded(job.busy_ms / passed / max_concurrency);
  const { job_id, longest_ms } = job;
  return { job_id, slug: limit?.slug ?? null, ...busy, longest_ms, max_concurrency, utilization };
}

function timesOf(ctx: ProjectCtx, range: Range, sums: readonly BusySums[]): Report["buckets"] {
  const rows = sums.filter((each): each is BusySums & { starts_at: string } => each.starts_at !== null);
  return fillTimes<Busy>(range, rows, NOTHING).map(({ starts_at, ...busy }) => {
    const at_ms = Date.parse(starts_at);
    return { starts_at, ...busyOf(busy, passedMs(ctx, at_ms, at_ms + range.bucket_ms)) };
  });
}

function outcomesOf(sums: readonly BusySums[]): Report["outcomes"] {
  return OUTCOMES.flatMap((outcome) => {
    const found = sums.find((each) => each.outcome === outcome);
    if (!found) return [];
    const { wall_ms, dispatches, compute_microusd, dispatch_reported_microusd } = found;
    return { outcome, wall_ms, dispatches, compute_microusd, reported_microusd: dispatch_reported_microusd };
  }).filter(({ dispatches }) => dispatches > 0);
}

function usefulShare(sums: readonly BusySums[], wall_ms: number): number | null {
  if (wall_ms === 0) return null;
  const useful = sums.reduce((sum, each) => (USEFUL.has(each.outcome ?? "") ? sum + each.wall_ms : sum), 0);
  return rounded(useful / wall_ms);
}

function busyOf({ wall_ms, busy_ms, dispatches, compute_microusd }: Busy, passed: number) {
  return { wall_ms, busy_ms, dispatches, compute_microusd, average_in_flight: rounded(busy_ms / passed) };
}

/** Of a range that is not over, only the elapsed part counts. */
function passedMs(ctx: ProjectCtx, from_ms: number, to_ms: number): number {
  return Math.max(1, Math.min(to_ms, ctx.watch.nowMs()) - from_ms);
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

const NOTHING: Busy = {
  ...{ wall_ms: 0, busy_ms: 0, dispatches: 0, compute_microusd: 0, longest_ms: 0, dispatch_reported_microusd: 0 },
};

type Busy = {
  wall_ms: number;
  busy_ms: number;
  dispatches: number;
  compute_microusd: number;
  longest_ms: number;
  dispatch_reported_microusd: number;
};

/** One of the three is set (outcome, job or time); none is set on the total. */
type BusySums = Busy & { outcome: string | null; job_id: string | null; starts_at: string | null };

/** How dispatches ended: by outcome, by job, by time and in total, in one query. */
async function sumBusy(ctx: ProjectCtx, rows: Sql, { bucket_ms, from }: Range): Promise<BusySums[]> {
  const { rows: sums } = await sql<BusySums>`
    with found as materialized (
      select c.name as outcome, c.job_id,
        date_bin(${bucket_ms} * interval '1 millisecond', c.starts_at, ${from}::timestamptz)::timestamptz(3) as starts_at,
        c.wall_ms, c.busy_ms, c.dispatches, c.compute_microusd, c.longest_ms, c.dispatch_reported_microusd
      ${rows} and c.part = 'named'
    )
    select c.outcome, c.job_id, c.starts_at, ${exactSum(sql`c.wall_ms`)} as wall_ms,
      ${exactSum(sql`c.busy_ms`)} as busy_ms, ${exactSum(sql`c.dispatches`)} as dispatches,
      ${exactSum(sql`c.compute_microusd`)} as compute_microusd, coalesce(max(c.longest_ms), 0) as longest_ms,
      ${exactSum(sql`c.dispatch_reported_microusd`)} as dispatch_reported_microusd
    from found c group by grouping sets ((), (c.outcome), (c.job_id), (c.starts_at))`.execute(ctx.db);
  return sums;
}

type JobLimit = { id: string; slug: string; max_concurrency: number | null };

async function readJobLimits(ctx: ProjectCtx, ids: readonly string[]): Promise<Map<string, JobLimit>> {
  const { rows } = await sql<JobLimit>`
    select j.id, j.slug, j.max_concurrency from jobs j
    where j.project_id = ${ctx.project_id} and j.id = any(${ids}::uuid[])`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}
