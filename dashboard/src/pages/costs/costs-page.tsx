import type { CostReport } from "@millrace/contract/analytics/cost-report";
import type { ProjectBudget } from "@millrace/contract/analytics/project-budget";
import { withQuery } from "../../api/call.ts";
import { useMay } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { BudgetCard } from "./budget-card.tsx";
import { BurnDown } from "./burn-down.tsx";
import { CostStats } from "./cost-stats.tsx";
import { Insights } from "./insights.tsx";
import { TopCosts } from "./top-costs.tsx";
import { UsageEmail } from "./usage-email.tsx";
import { UsageHistory } from "./usage-history.tsx";

/** Costs of this month, the budget, and potential savings. */
export default function CostsPage() {
  const { environmentFilter } = usePlace();
  const maySee = useMay("analytics:read");
  const mayUsage = useMay("usage:read");
  const ofEnvironment = { environment_id: environmentFilter };
  const report = useApi<CostReport>("/v1/analytics/costs", ofEnvironment, maySee);
  // The budget is per project, so the costs compared with it are too.
  const whole = useApi<CostReport>("/v1/analytics/costs", {}, maySee);
  const budget = useApi<ProjectBudget>("/v1/project-budget", {}, mayUsage);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader
        title="Costs & budget"
        actions={
          <AsCode
            about="Costs"
            code={codeOf({ method: "GET", path: withQuery("/v1/analytics/costs", ofEnvironment) })}
          />
        }
      />
      <PageBody className="flex flex-col gap-4">
        {report.error && <ErrorState as="banner" error={report.error} onRetry={() => void report.refetch()} />}
        {budget.error && <ErrorState as="banner" error={budget.error} onRetry={() => void budget.refetch()} />}
        <CostStats report={report.data} budget={environmentFilter ? undefined : budget.data} />
        <div className="grid gap-4 lg:grid-cols-3">
          <div className="min-w-0 lg:col-span-2">
            <BurnDown report={whole.data} budget={budget.data} isOfAll={environmentFilter !== undefined} />
          </div>
          <BudgetCard budget={budget.data} report={whole.data} isOfAll={environmentFilter !== undefined} />
        </div>
        <div className="grid items-start gap-4 lg:grid-cols-3">
          <div className="min-w-0 lg:col-span-2">
            <TopCosts report={report.data} />
          </div>
          <Insights />
        </div>
        {mayUsage && (
          <div className="grid items-start gap-4 lg:grid-cols-3">
            <div className="min-w-0 lg:col-span-2">
              <UsageHistory />
            </div>
            <UsageEmail />
          </div>
        )}
      </PageBody>
    </div>
  );
}
