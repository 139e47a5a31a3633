import type { CostReport, CostsQuery } from "@millrace/contract/cost-report";
import type { ProjectCtx } from "../../../platform/context.ts";
import { fillTimes } from "../reports/fill-times.ts";
import { measureQuery } from "../reports/measure-query.ts";
import { DAY_MS, type Range } from "../reports/range.ts";
import { costRows, sumByGroup, sumByPlace, sumByTime, sumTotal } from "./cost-queries.ts";
import { forecastCosts } from "./costs-forecast.ts";
import { groupCosts } from "./costs-groups.ts";
import { type CostTime, readCostTime } from "./costs-period.ts";
import { readCostTerms } from "./costs-rate.ts";

const KINDS = ["tag", "concurrency_key", "created_by", "workflow", "schedule", "model"];

/** What the project cost in the current billing period, or in another range, and for what. */
export async function getCosts(ctx: ProjectCtx, query: CostsQuery): Promise<Omit<CostReport, "$schema">> {
  const time = readCostTime(ctx, query);
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
  return {
    ...{ project_id: ctx.project_id, from: days.from, to: days.to, bucket: points.bucket },
    period: { starts_at, ends_at, is_current },
    compute_rate_microusd_per_sec: terms.rate,
    total,
    forecast: isWholePeriod ? forecastCosts(byDay, period, { now_ms, created_ms: terms.created_ms }) : null,
    buckets: fillTimes(points, series, NOTHING),
    ...(await groupCosts(ctx, { total, places, groups, isByTagKey: tag_key !== undefined })),
  };
}

/** The grain of the stored sums that a bucket is built from. */
export function grainOf({ bucket }: Range) {
  return bucket === "5m" ? "1m" : bucket;
}

const NOTHING = {
  ...{ total_microusd: 0, reported_microusd: 0, compute_microusd: 0, wall_ms: 0 },
  ...{ dispatches: 0, reports: 0, input_tokens: 0, output_tokens: 0 },
};
