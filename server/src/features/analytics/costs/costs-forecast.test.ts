import { describe, expect, it } from "vitest";
import { DAY_MS } from "../reports/range.ts";
import { forecastCosts } from "./costs.ts";
import type { Period } from "./costs-period.ts";

const june: Period = {
  ...{ starts_at: "2030-06-01T00:00:00.000Z", ends_at: "2030-07-01T00:00:00.000Z", is_current: true },
  ...{ starts_ms: Date.UTC(2030, 5, 1), ends_ms: Date.UTC(2030, 6, 1) },
};
const old = (now_ms: number) => ({ now_ms, created_ms: 0 });
const day = (nth: number, total_microusd: number) => ({
  ...{ starts_at: new Date(Date.UTC(2030, 5, nth)).toISOString(), total_microusd },
});

describe("the forecast of a billing period", () => {
  it("N7 continues with the mean of the last seven full days, including days without cost", () => {
    const days = [day(1, 1_000), day(8, 70), day(14, 700), day(15, 50)];
    // On the 15th at noon: 8–14 cost 770, a mean day 110. Before today 1,770; today 110; fifteen more days.
    expect(forecastCosts(days, june, old(Date.UTC(2030, 5, 15, 12)))).toEqual({
      ...{ total_microusd: 1_770 + 110 + 15 * 110, basis: "full_days", days: 7, per_day_microusd: 110 },
    });
  });

  it("N7 uses today's actual cost when it exceeds a mean day", () => {
    const { total_microusd, days } = forecastCosts([day(1, 10), day(2, 500)], june, old(Date.UTC(2030, 5, 2, 6)));
    expect([total_microusd, days]).toEqual([10 + 500 + 28 * 10, 1]);
  });

  it("N7 extrapolates the elapsed time on the first day", () => {
    const forecast = forecastCosts([day(1, 100)], june, old(Date.UTC(2030, 5, 1, 12)));
    expect(forecast).toEqual({ total_microusd: 6_000, basis: "elapsed_time", days: 0, per_day_microusd: 200 });
  });

  it("N7 ignores the days before the project was created", () => {
    // Created on the 12th at noon: the 13th and 14th are its full days.
    const made = { now_ms: Date.UTC(2030, 5, 15, 12), created_ms: Date.UTC(2030, 5, 12, 12) };
    expect(forecastCosts([day(12, 50), day(13, 100), day(14, 300)], june, made)).toEqual({
      ...{ total_microusd: 450 + 16 * 200, basis: "full_days", days: 2, per_day_microusd: 200 },
    });
    // Created yesterday at noon: it has spent 100 in a day, and 15.5 are left.
    const now_ms = Date.UTC(2030, 5, 15, 12);
    expect(forecastCosts([day(15, 100)], june, { now_ms, created_ms: Date.UTC(2030, 5, 14, 12) })).toEqual({
      ...{ total_microusd: 1_650, basis: "elapsed_time", days: 0, per_day_microusd: 100 },
    });
    // Costs from before its creation were imported, and count.
    expect(forecastCosts([day(14, 0), day(15, 100)], june, { now_ms, created_ms: now_ms }).days).toBe(1);
  });

  it("N7 extrapolates from an hour at least", () => {
    const justNow = { now_ms: june.starts_ms + 2 * DAY_MS, created_ms: june.starts_ms + 2 * DAY_MS - 1 };
    expect(forecastCosts([day(3, 10)], june, justNow)).toMatchObject({ per_day_microusd: 240, total_microusd: 6_720 });
  });

  it("N7 is zero where nothing was spent, also in the first millisecond", () => {
    expect(forecastCosts([], june, old(june.starts_ms)).total_microusd).toBe(0);
    expect(forecastCosts([], june, old(june.ends_ms - 1)).total_microusd).toBe(0);
  });

  it("N7 stays an exact number for any amount", () => {
    const { total_microusd } = forecastCosts([day(1, Number.MAX_SAFE_INTEGER)], june, old(june.starts_ms + 1));
    expect(total_microusd).toBe(Number.MAX_SAFE_INTEGER);
  });
});
