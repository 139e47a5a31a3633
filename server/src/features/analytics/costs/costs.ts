import type { CostReport, CostsQuery } from "@millrace/contract/analytics/cost-report";
import type { ProjectCtx } from "../../../platform/context.ts";
import { measureQuery } from "../reports/measure-query.ts";
import { DAY_MS, type Range } from "../reports/range.ts";
import { fillTimes } from "../reports/series.ts";
import { costRows, NOTHING, sumByGroup, sumByPlace, sumByTime, sumTotal } from "./cost-queries.ts";
import { groupCosts } from "./costs-groups.ts";
import { groupOverTime, refuseFineGroups } from "./costs-over-time.ts";
import { type CostTime, type Period, readCostTerms, readCostTime } from "./costs-period.ts";

const KINDS = ["tag", "concurrency_key", "created_by", "workflow", "schedule", "model"];

/** What the project cost in the current billing period, or in another range, and for what. */
export async function getCosts(ctx: ProjectCtx, query: CostsQuery): Promise<Omit<CostReport, "$schema">> {
  const time = readCostTime(ctx, query);
  refuseFineGroups(query);
  return measureQuery(ctx, time.days, () => report(ctx, query, time));
}

async function report(ctx: ProjectCtx, query: CostsQuery, time: CostTime): Promise<Omit<CostReport, "$schema">> {
  const { days, points, period, now_ms, isWholePeriod } = time;
  const { limit = 20, tag_key } = query;
  const rows = await costRows(ctx, query);
  const ofJobs = rows(["job"], { ...days, grain: "1d" });
  const [total, places, groups, series, byDay, terms] = await Promise.all([
    sumTotal(ctx, ofJobs),
    sumByPlace(ctx, ofJobs, limit),
    sumByGroup(ctx, rows(KINDS, { ...days, grain: "1d" }), { max: limit, tag_key }),
    sumByTime(ctx, rows(["job"], { ...points, grain: grainOf(points) }), points),
    isWholePeriod ? sumByTime(ctx, ofJobs, { bucket_ms: DAY_MS, from: days.from }) : [],
    readCostTerms(ctx),
  ]);
  const { starts_at, ends_at, is_current } = period;
  const groupings = await groupCosts(ctx, { total, places, groups, isByTagKey: tag_key !== undefined });
  return {
    ...{ project_id: ctx.project_id, from: days.from, to: days.to, bucket: points.bucket },
    period: { starts_at, ends_at, is_current },
    compute_rate_microusd_per_sec: terms.rate,
    total,
    forecast: isWholePeriod ? forecastCosts(byDay, period, { now_ms, created_ms: terms.created_ms }) : null,
    buckets: fillTimes(points, series, NOTHING),
    grouped: query.group_by ? await groupOverTime(ctx, { by: query.group_by, rows, points, groupings, groups }) : null,
    ...groupings,
  };
}

/** The grain of the stored sums that a bucket is built from. */
export function grainOf({ bucket }: Range) {
  return bucket === "5m" ? "1m" : bucket;
}

const MAX_DAYS = 7;
const MIN_ELAPSED_MS = 3_600_000; // a project's first minutes say nothing about a month

type Days = readonly { starts_at: string; total_microusd: number }[];
type Forecast = NonNullable<CostReport["forecast"]>;

/**
 * The cost of the period at its end: the cost before today, today as at least a mean day, and mean days until the end.
 * The mean covers the last full days, at most seven, or the elapsed time before there is a full day. Days before the
 * project was created do not count.
 */
export function forecastCosts(
  days: Days,
  { starts_ms, ends_ms }: Period,
  { now_ms, created_ms }: { now_ms: number; created_ms: number },
): Forecast {
  const today_ms = Math.floor(now_ms / DAY_MS) * DAY_MS;
  const spentOn = new Map(days.map((day) => [Date.parse(day.starts_at), BigInt(day.total_microusd)]));
  const firstSpent_ms = Math.min(...spentOn.keys()); // costs from before its creation exist only if they were imported
  const begins_ms = Math.max(starts_ms, firstSpent_ms + DAY_MS <= created_ms ? firstSpent_ms : created_ms);
  const count = Math.min(MAX_DAYS, today_ms / DAY_MS - Math.ceil(begins_ms / DAY_MS));
  const today = spentOn.get(today_ms) ?? 0n;
  const before = [...spentOn].reduce((sum, [at, spent]) => (at < today_ms ? sum + spent : sum), 0n);
  if (count <= 0) return fromElapsed(before + today, ends_ms - begins_ms, Math.max(now_ms - begins_ms, MIN_ELAPSED_MS));
  let last = 0n;
  for (let index = 1; index <= count; index++) last += spentOn.get(today_ms - index * DAY_MS) ?? 0n;
  const perDay = divided(last, count);
  const ahead = BigInt(Math.round((ends_ms - today_ms) / DAY_MS) - 1);
  const total = before + (today > perDay ? today : perDay) + perDay * ahead;
  return { total_microusd: exact(total), basis: "full_days", days: count, per_day_microusd: exact(perDay) };
}

function fromElapsed(spent: bigint, period_ms: number, elapsed_ms: number): Forecast {
  const total = divided(spent * BigInt(period_ms), Math.min(elapsed_ms, period_ms));
  const perDay = divided(spent * BigInt(DAY_MS), elapsed_ms);
  return { total_microusd: exact(total), basis: "elapsed_time", days: 0, per_day_microusd: exact(perDay) };
}

/** Rounds to the nearest integer. */
function divided(amount: bigint, by: number): bigint {
  const divisor = BigInt(Math.round(by));
  return (2n * amount + divisor) / (2n * divisor);
}

function exact(amount: bigint): number {
  return Number(amount > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : amount);
}
