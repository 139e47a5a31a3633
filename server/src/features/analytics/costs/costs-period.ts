import type { CostReport, CostsQuery } from "@millrace/contract/analytics/cost-report";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { parseInstant } from "../../../platform/time/instant.ts";
import { type Range, readRange, refuseExpired } from "../reports/range.ts";

export type Period = CostReport["period"] & { starts_ms: number; ends_ms: number };

export type CostTime = {
  /** Whole days: groups are kept by the day. */
  days: Range;
  /** The elapsed part of the same range, in the requested buckets. */
  points: Range;
  period: Period;
  now_ms: number;
  /** The current billing period from start to end. */
  isWholePeriod: boolean;
};

/** The requested range, by default the current billing period (a calendar month, UTC). */
export function readCostTime(ctx: ProjectCtx, { from, to, bucket = "1d" }: CostsQuery): CostTime {
  const now_ms = ctx.watch.nowMs();
  const current = monthOf(now_ms, now_ms);
  const isWholePeriod = from === undefined && to === undefined;
  const end = to ?? (isWholePeriod ? current.ends_at : isoOf(now_ms));
  const start = from ?? monthOf(Date.parse(parseInstant("query.to", end)) - 1, now_ms).starts_at;
  const days = readRange(ctx, { from: start, to: end, bucket: "1d" });
  const shown_to = isoOf(Math.max(Math.min(days.to_ms, now_ms), days.from_ms + 1));
  const points = readRange(ctx, { from: days.from, to: shown_to, bucket });
  refuseExpired(ctx, points, COSTS_KEPT);
  return { days, points, period: monthOf(days.from_ms, now_ms), now_ms, isWholePeriod };
}

function monthOf(ms: number, now_ms: number): Period {
  const day = new Date(ms);
  const starts_ms = startOfMonth(day.getUTCFullYear(), day.getUTCMonth());
  const ends_ms = startOfMonth(day.getUTCFullYear(), day.getUTCMonth() + 1);
  const is_current = starts_ms <= now_ms && now_ms < ends_ms;
  return { starts_at: isoOf(starts_ms), ends_at: isoOf(ends_ms), is_current, starts_ms, ends_ms };
}

/** `Date.UTC` maps the years 0 to 99 to 1900 to 1999. */
function startOfMonth(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1);
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

export type Grain = "1m" | "1h" | "1d";

/** Length in seconds. */
export const GRAIN_SECS = { "1m": 60, "1h": 3_600, "1d": 86_400 } as const;

/** How long the finer sums are kept. Days are kept forever. */
export const COSTS_KEPT = { minutes_days: 8, hours_days: 100 } as const;

/** The length of the finest grain still kept for a minute. */
export function finestGrainSecs(at_s: number, now_ms: number): number {
  const age_days = (now_ms / 1_000 - at_s - GRAIN_SECS["1m"]) / GRAIN_SECS["1d"];
  if (age_days < COSTS_KEPT.minutes_days) return GRAIN_SECS["1m"];
  return age_days < COSTS_KEPT.hours_days ? GRAIN_SECS["1h"] : GRAIN_SECS["1d"];
}

/** The same as an SQL expression, for a time. */
export function finestOf(time: Sql): Sql {
  return sql`case when ${time} >= clock() - ${sql.lit(COSTS_KEPT.minutes_days)} * interval '1 day' then 60
    when ${time} >= clock() - ${sql.lit(COSTS_KEPT.hours_days)} * interval '1 day' then 3600 else 86400 end`;
}

/** The start, in seconds, of the bucket that contains a time. */
export function bucketAt(time: Sql, secs: Sql): Sql {
  return sql`(floor(extract(epoch from ${time})::float8 / ${secs})::bigint * ${secs})`;
}

export const DAY_SECS = sql.lit(GRAIN_SECS["1d"]);

/** The current price of a second of a run. */
export async function readComputeRate(ctx: ProjectCtx): Promise<number> {
  return (await readCostTerms(ctx)).rate;
}

/** The current price, and since when the project could have costs. */
export async function readCostTerms(ctx: ProjectCtx): Promise<{ rate: number; created_ms: number }> {
  const { rows } = await sql<{ rate: number; created_at: string }>`
    select compute_rate_microusd_per_sec as rate, created_at
    from projects where id = ${ctx.project_id}`.execute(ctx.db);
  const [project] = rows;
  return project ? { rate: project.rate, created_ms: Date.parse(project.created_at) } : { rate: 0, created_ms: 0 };
}
