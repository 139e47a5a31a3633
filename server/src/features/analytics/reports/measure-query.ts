import type { Ctx } from "../../../platform/context.ts";
import { HOUR_MS } from "./range.ts";

/** The label is one of these, so the number of time series does not grow with the ranges that callers request. */
const PERIODS = [1, 6, 24, 168, 720, 2_160, 8_760];

/** Measures the duration of an analytics query, labeled by the length of its range. */
export async function measureQuery<T>(
  ctx: Ctx,
  { from_ms, to_ms }: { from_ms: number; to_ms: number },
  work: () => Promise<T>,
): Promise<T> {
  const end = ctx.metrics.analyticsQueryDuration.startTimer({ period_hours: periodOf((to_ms - from_ms) / HOUR_MS) });
  try {
    return await work();
  } finally {
    end();
  }
}

/** The next longer period, with a margin so that a day in whole buckets does not count as a week. */
function periodOf(hours: number): string {
  const period = PERIODS.find((each) => hours <= each * 1.1);
  return period === undefined ? "more" : String(period);
}
