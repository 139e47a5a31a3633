import type { CostReport, CostsQuery } from "@millrace/contract/cost-report";
import type { ProjectCtx } from "../../../platform/context.ts";
import { parseInstant } from "../../../platform/time/instant.ts";
import { type Range, readRange, refuseForgotten } from "../reports/range.ts";
import { COSTS_KEPT } from "./costs-grains.ts";

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
  refuseForgotten(ctx, points, COSTS_KEPT);
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
