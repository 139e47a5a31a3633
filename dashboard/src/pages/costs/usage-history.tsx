import type { UsagePeriod } from "@millrace/contract/analytics/usage";
import { useApiList } from "../../api/use-api.ts";
import { formatDuration, formatMoney, formatShort } from "../../parts/format.ts";
import { Badge } from "../../parts/state/badge.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";

/** Usage per month, with bars for comparison. */
export function UsageHistory() {
  const { rows, error, refetch } = useApiList<UsagePeriod>("/v1/usage/history", { limit: 12 });
  const max = Math.max(1, ...(rows ?? []).map(({ cost_microusd }) => cost_microusd));
  return (
    <section aria-label="Usage by month" className="card min-w-0 overflow-hidden">
      <h2 className="flex h-10 items-center px-4 font-medium">Usage by month</h2>
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      {rows === undefined && !error && (
        <div className="p-4">
          <SkeletonLines lines={3} />
        </div>
      )}
      {rows?.length === 0 && (
        <EmptyState small title="No usage yet">
          Usage appears when the first run finishes.
        </EmptyState>
      )}
      {rows && rows.length > 0 && (
        <section className="overflow-x-auto" tabIndex={0} aria-label="Months">
          <table className="w-full min-w-[520px] text-left">
            <thead className="border-y bg-surface text-ink-2 text-xs">
              <tr>
                <th className="h-8 px-4 font-medium">Month</th>
                <th className="px-3 font-medium">Cost</th>
                <th className="px-3 text-right font-medium">Runs</th>
                <th className="px-3 text-right font-medium">Compute</th>
                <th className="px-4 text-right font-medium">Tokens</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((period) => (
                <Month key={period.period_starts_at} period={period} max={max} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}

function Month({ period, max }: { period: UsagePeriod; max: number }) {
  const name = new Date(period.period_starts_at).toLocaleDateString(undefined, {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return (
    <tr className="border-b last:border-b-0">
      <td className="h-9 whitespace-nowrap px-4">
        {name} {period.is_current && <Badge>so far</Badge>}
      </td>
      <td className="px-3">
        <span className="flex items-center gap-2">
          <span aria-hidden="true" className="h-1.5 w-24 overflow-hidden rounded-full bg-hover">
            <span className="block h-full bg-accent" style={{ width: `${(period.cost_microusd / max) * 100}%` }} />
          </span>
          <span className="font-mono text-xs">{formatMoney(period.cost_microusd)}</span>
        </span>
      </td>
      <td className="px-3 text-right font-mono text-xs">{formatShort(period.runs.total)}</td>
      <td className="px-3 text-right font-mono text-xs">{formatDuration(period.compute_seconds * 1_000)}</td>
      <td className="px-4 text-right font-mono text-xs">{formatShort(period.input_tokens + period.output_tokens)}</td>
    </tr>
  );
}
