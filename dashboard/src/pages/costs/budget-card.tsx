import type { CostReport } from "@millrace/contract/analytics/cost-report";
import type { ProjectBudget } from "@millrace/contract/analytics/project-budget";
import { PiggyBank } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { cx } from "../../parts/class-names.ts";
import { Facts } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { formatPercent, moneyFormat } from "../../parts/format.ts";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { canForecast } from "./can-forecast.ts";
import { EditBudget } from "./edit-budget.tsx";

type Props = {
  budget: ProjectBudget | undefined;
  report: CostReport | undefined;
  /** Whether other figures of the page are those of one environment. */
  isOfAll: boolean;
};

/** Budget status, by mark and text, never by color alone. */
export function BudgetCard({ budget, report, isOfAll }: Props) {
  const [isEditing, setEditing] = useState(false);
  const disabledReason = useDisabledReason("usage:write");
  return (
    <section aria-label="Budget" className="card flex min-w-0 flex-col gap-3 p-4">
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-medium">
          Budget
          {isOfAll && <span className="ml-2 font-normal text-ink-3 text-xs">all environments</span>}
        </h2>
        {budget && (
          <Button size="small" disabledReason={disabledReason} onClick={() => setEditing(true)}>
            {budget.monthly_budget_microusd === null ? "Set budget" : "Edit budget"}
          </Button>
        )}
      </div>
      {budget === undefined ? <SkeletonLines lines={4} /> : <BudgetStatus budget={budget} report={report} />}
      {budget && isEditing && <EditBudget budget={budget} onClose={() => setEditing(false)} />}
    </section>
  );
}

function stateOf(budget: ProjectBudget): { status: string; label: string; part: number } {
  const amount = budget.monthly_budget_microusd ?? 0;
  const part = amount === 0 ? (budget.settled_microusd > 0 ? 1 : 0) : budget.settled_microusd / amount;
  if (budget.blocked_at !== null) return { status: "failed", label: "Runs blocked", part };
  if (part >= 1) return { status: "failed", label: "Budget exceeded", part };
  if (part >= 0.8) return { status: "degraded", label: "Above 80%", part };
  return { status: "ok", label: "Within budget", part };
}

function BudgetStatus({ budget, report }: { budget: ProjectBudget; report: CostReport | undefined }) {
  const amount = budget.monthly_budget_microusd;
  if (amount === null)
    return (
      <EmptyState small icon={<PiggyBank size={20} />} title="No budget">
        Set a budget to be notified at 50, 80 and 100%, or to block new runs once it is exceeded.
      </EmptyState>
    );
  const { status, label, part } = stateOf(budget);
  const money = moneyFormat(budget.settled_microusd, amount);
  const willPass =
    report !== undefined && canForecast(report) && (report.forecast?.total_microusd ?? 0) > amount && part < 1;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <StatusMark status={status} label={label} as="badge" />
        {willPass && <StatusMark status="expiring" label="Forecast exceeds budget" as="badge" />}
      </div>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-semibold text-2xl tracking-[-0.02em]">{formatPercent(part)}</span>
        <span className="text-ink-2">
          {money(budget.settled_microusd)} of {money(amount)}
        </span>
      </p>
      <Thresholds part={part} budget={budget} />
      <Facts
        facts={[
          ["Remaining", money(budget.remaining_microusd ?? 0)],
          ["Reserved for open runs", budget.reserved_microusd > 0 ? money(budget.reserved_microusd) : null],
          ["Notified at", budget.raised_thresholds.map((threshold) => `${threshold}%`).join(", ") || null],
          ["When exceeded", budget.action === "block" ? "Block new runs" : "Notify only"],
          ["Period ends", <Time key="t" at={budget.period_ends_at} />],
        ]}
      />
    </>
  );
}

/** Progress bar with a tick at each threshold. */
function Thresholds({ part, budget: { thresholds } }: { part: number; budget: ProjectBudget }) {
  const max = Math.max(100, ...thresholds);
  const fill = part >= 1 ? "bg-failed" : part >= 0.8 ? "bg-retrying" : "bg-accent";
  return (
    <div className="pb-5">
      <div
        className="relative h-2 rounded-full bg-hover"
        role="img"
        aria-label={`${formatPercent(part)} spent; thresholds ${thresholds.join(", ")}%`}
      >
        <div
          className={cx("h-full rounded-full", fill)}
          style={{ width: `${Math.min(100, (part * 10_000) / max)}%` }}
        />
        {thresholds.map((threshold) => (
          <span
            key={threshold}
            aria-hidden="true"
            className="absolute top-[-3px] h-3.5 border-ink-3 border-l"
            style={{ left: `calc(${(threshold / max) * 100}% - 1px)` }}
          >
            <span
              className={cx(
                "absolute top-4 whitespace-nowrap text-xs text-ink-3",
                threshold / max > 0.6 ? "right-0" : "-translate-x-1/2",
              )}
            >
              {threshold}%
            </span>
          </span>
        ))}
      </div>
    </div>
  );
}
