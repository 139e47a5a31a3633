import type { CostReport } from "@millrace/contract/analytics/cost-report";
import type { ProjectBudget } from "@millrace/contract/analytics/project-budget";
import { Sparkline } from "../../parts/chart/sparkline.tsx";
import { Stat } from "../../parts/chart/stat.tsx";
import { formatDuration, formatMoney, formatPercent, formatShort, plural } from "../../parts/format.ts";
import { canForecast, MIN_FORECAST_DAYS } from "./can-forecast.ts";

export function CostStats({ report, budget }: { report: CostReport | undefined; budget: ProjectBudget | undefined }) {
  const total = report?.total;
  const forecast = report?.forecast;
  const amount = budget?.monthly_budget_microusd ?? null;
  const isEnough = report !== undefined && canForecast(report);
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <Stat
        label="Spent this month"
        value={total && formatMoney(total.total_microusd)}
        hint={total && plural(total.dispatches, "dispatch", "dispatches")}
        chart={
          report &&
          report.total.total_microusd > 0 && (
            <Sparkline
              values={report.buckets.map(({ total_microusd }) => total_microusd)}
              label="Cost per day"
              kind="bars"
              width={72}
            />
          )
        }
      />
      <Stat
        label="Forecast for the month"
        value={report && (forecast && isEnough ? formatMoney(forecast.total_microusd) : "–")}
        hint={
          report && !isEnough
            ? `Available after ${plural(MIN_FORECAST_DAYS, "full day")} of data`
            : forecast &&
              (amount
                ? `${formatPercent(forecast.total_microusd / Math.max(1, amount))} of the budget`
                : `${formatMoney(forecast.per_day_microusd)} per day`)
        }
      />
      <Stat
        label="Compute"
        value={total && formatMoney(total.compute_microusd)}
        hint={total && `${formatDuration(total.wall_ms)} of execution time`}
      />
      <Stat
        label="Reported by runs"
        value={total && formatMoney(total.reported_microusd)}
        hint={total && `${formatShort(total.input_tokens + total.output_tokens)} tokens`}
      />
    </div>
  );
}
