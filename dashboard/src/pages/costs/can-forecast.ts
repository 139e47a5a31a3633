import type { CostReport } from "@millrace/contract/analytics/cost-report";

const DAY_MS = 86_400_000;
/** With fewer full days one unusual hour would decide the forecast. */
export const MIN_FORECAST_DAYS = 3;

/** Whether costs have been recorded long enough this month for a forecast. */
export function canForecast({ buckets }: CostReport, now = Date.now()): boolean {
  const first = buckets.find(({ total_microusd }) => total_microusd > 0);
  return first !== undefined && now - Date.parse(first.starts_at) >= MIN_FORECAST_DAYS * DAY_MS;
}
