import type { CostInsights, Insight } from "@millrace/contract/analytics/cost-insights";
import { Lightbulb } from "lucide-react";
import { useMay } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { formatMoney } from "../../parts/format.ts";
import { Link } from "../../parts/link.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { usePlace } from "../../shell/place/place.ts";

/** Potential savings, each with a link to the setting to change. */
export function Insights() {
  const { environmentFilter } = usePlace();
  const { data, error, refetch } = useApi<CostInsights>(
    "/v1/analytics/cost-insights",
    { environment_id: environmentFilter },
    useMay("analytics:read"),
  );
  return (
    <section aria-label="Potential savings" className="card flex min-w-0 flex-col overflow-hidden">
      <h2 className="flex h-12 flex-none items-center justify-between gap-2 px-4 font-medium">
        Potential savings
        {data && data.estimated_saving_microusd > 0 && (
          <span className="font-normal text-ink-2">{formatMoney(data.estimated_saving_microusd)} in 30 days</span>
        )}
      </h2>
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && (
        <div className="p-4">
          <SkeletonLines lines={4} />
        </div>
      )}
      {data?.insights.length === 0 && (
        <EmptyState small icon={<Lightbulb size={20} />} title="No potential savings found">
          Based on retries, timeouts, idle schedules and repeated payloads of the last 30 days.
        </EmptyState>
      )}
      <ul className="divide-y border-t empty:hidden">
        {data?.insights.slice(0, 6).map((insight) => (
          <Card key={`${insight.rule} ${insight.job_id} ${insight.schedule_id}`} insight={insight} />
        ))}
      </ul>
    </section>
  );
}

function Card({ insight }: { insight: Insight }) {
  const { at } = usePlace();
  const [sample] = insight.sample_run_ids;
  return (
    <li className="flex flex-col gap-1 px-4 py-3">
      <div className="flex items-baseline justify-between gap-2">
        <p className="min-w-0 font-medium">{insight.title}</p>
        <span className="flex-none font-mono text-xs">{formatMoney(insight.estimated_saving_microusd)}</span>
      </div>
      <p className="text-ink-2">{insight.what_to_change}</p>
      <p className="flex gap-3 text-xs">
        <Link
          href={at(`jobs/${insight.job_id}`, { tab: insight.schedule_id ? "schedule" : "settings" })}
          className="font-medium text-accent hover:underline"
        >
          Edit {insight.job_slug ?? "job"}
        </Link>
        {sample && (
          <Link href={at(`runs/${sample}`)} className="text-ink-2 hover:underline">
            Example run
          </Link>
        )}
      </p>
    </li>
  );
}
