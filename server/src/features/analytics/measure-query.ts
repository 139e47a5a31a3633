import type { Ctx } from "../../platform/context.ts";
import { HOUR_MS } from "./range.ts";

/** The label is one of these: a scrape must not grow with what callers ask. */
const PERIODS = [1, 6, 24, 168, 720, 2_160, 8_760];

/** Measures what an analytics question takes, by the length of the time that it is about. */
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

/** The next longer one, so that a day asked for in whole buckets is not a week. */
function periodOf(hours: number): string {
  const period = PERIODS.find((each) => hours <= each * 1.1);
  return period === undefined ? "more" : String(period);
}
