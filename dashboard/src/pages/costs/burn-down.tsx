import type { CostReport } from "@millrace/contract/analytics/cost-report";
import type { ProjectBudget } from "@millrace/contract/analytics/project-budget";
import { useMemo } from "react";
import { Chart, type ChartSeries } from "../../parts/chart/chart.tsx";
import { moneyFormat } from "../../parts/format.ts";
import { canForecast } from "./can-forecast.ts";

const DAY_SECS = 86_400;

type Props = {
  report: CostReport | undefined;
  budget: ProjectBudget | undefined;
  /** Whether other figures of the page are those of one environment. */
  isOfAll: boolean;
};

/** Cumulative cost per day, the forecast and the budget. */
export function BurnDown({ report, budget, isOfAll }: Props) {
  const { times, series, money } = useMemo(
    () => linesOf(report, budget?.monthly_budget_microusd ?? null),
    [report, budget],
  );
  return (
    <Chart
      title={isOfAll ? "Cumulative cost and forecast of all environments" : "Cumulative cost and forecast"}
      kind="lines"
      height={220}
      times={times}
      series={series}
      format={money}
    />
  );
}

/** Points are ends of days; the first is the start of the month. */
function linesOf(
  report: CostReport | undefined,
  amount: number | null,
  now = Date.now(),
): { times: number[] | undefined; series: ChartSeries[]; money: (microusd: number) => string } {
  if (!report) return { times: undefined, series: [{ label: "Spent", values: [] }], money: moneyFormat(0) };
  const { period, forecast, buckets, total } = report;
  const begin = Date.parse(period.starts_at) / 1_000;
  const days = Math.round((Date.parse(period.ends_at) / 1_000 - begin) / DAY_SECS);
  const times = Array.from({ length: days + 1 }, (_, nth) => begin + nth * DAY_SECS);
  const byDay = new Map(
    buckets.map(({ starts_at, total_microusd }) => [Date.parse(starts_at) / 1_000, total_microusd]),
  );
  // One unit for the whole axis, chosen for the highest line.
  const money = moneyFormat(Math.max(total.total_microusd, forecast?.total_microusd ?? 0, amount ?? 0));
  let sum = 0;
  const today = Math.min(days, Math.floor((now / 1_000 - begin) / DAY_SECS) + 1);
  const spent = times.map((time, nth) => {
    if (nth > 0) sum += byDay.get(time - DAY_SECS) ?? 0;
    return nth <= today ? sum : null;
  });
  const series: ChartSeries[] = [{ label: "Spent", values: spent }];
  if (forecast && today < days && canForecast(report, now)) {
    const reach = forecast.total_microusd;
    const line = (end: number) =>
      times.map((_, nth) =>
        nth < today ? null : total.total_microusd + ((end - total.total_microusd) * (nth - today)) / (days - today),
      );
    const [low, high] = bandOf(report, today, days);
    series.push(
      { label: `Forecast ${money(reach)}`, stroke: "dashed", values: line(reach) },
      { label: "Low estimate", family: "queued", stroke: "dotted", values: line(Math.min(reach, low)) },
      { label: "High estimate", family: "retrying", stroke: "dotted", values: line(Math.max(reach, high)) },
    );
  }
  if (amount !== null)
    series.push({
      label: `Budget ${money(amount)}`,
      family: "failed",
      stroke: "solid",
      values: times.map(() => amount),
    });
  return { times, series, money };
}

/** Month total if every remaining day cost as much as a day at the 25th or the 75th percentile. */
function bandOf({ buckets, total }: CostReport, today: number, days: number): [number, number] {
  const full = buckets
    .slice(0, Math.max(0, today - 1))
    .map(({ total_microusd }) => total_microusd)
    .sort((a, b) => a - b);
  if (full.length < 2) return [total.total_microusd, total.total_microusd];
  const at = (part: number) => full[Math.min(full.length - 1, Math.floor(part * full.length))] ?? 0;
  return [total.total_microusd + at(0.25) * (days - today), total.total_microusd + at(0.75) * (days - today)];
}
