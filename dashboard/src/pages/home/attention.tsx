import type { ErrorGroups, PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import type { ProjectBudget } from "@millrace/contract/analytics/project-budget";
import type { EventTrigger } from "@millrace/contract/events/events";
import { CircleCheck } from "lucide-react";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { useFirstLoadDone } from "../../api/use-first-load-done.ts";
import { plural } from "../../parts/format.ts";
import { Link } from "../../parts/link.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { VaryingText } from "../../parts/varying-text.tsx";
import { usePlace } from "../../shell/place/place.ts";
import type { AnalyticsTime } from "../shared-analytics/use-range.ts";
import { useFailedDeliveries } from "../shared-webhooks/use-failed-deliveries.ts";
import { type AttentionItem, deliveryAttention, jobAttention, ofBudget, waitAttention } from "./attention-items.ts";

/** Excludes sleeps: nobody can send an event to them. */
const WAITING = { status: "waiting", trigger_type: "event", sort: "expires_at", limit: 20 };

type Props = { since: string; query: AnalyticsTime; performance: PerformanceReport | undefined };

/** Issues that need attention, worst first, each with one action. */
export function Attention({ since, query, performance }: Props) {
  const { at, environmentFilter: environment_id } = usePlace();
  const worst = performance?.health.worst_jobs ?? [];
  const isTime = useFirstLoadDone();
  const errors = useApi<ErrorGroups>("/v1/analytics/errors", { ...query, limit: 20 }, worst.length > 0);
  const waits = useApi<Page<EventTrigger>>(
    "/v1/events",
    { ...WAITING, environment_id },
    useMay("events:read") && isTime,
  );
  const deliveries = useFailedDeliveries();
  const budget = useApi<ProjectBudget>("/v1/project-budget", {}, useMay("usage:read") && isTime);
  const attentionItems = [
    ...ofBudget(budget.data, at),
    ...jobAttention(worst, errors.data, since, at),
    ...deliveryAttention(deliveries.data, at),
    ...waitAttention(waits.data?.data ?? [], at),
  ];
  const isKnown = isTime && ![waits, deliveries, budget].some(({ isLoading }) => isLoading);
  const failed = [waits, deliveries, budget, errors].find(({ error }) => error);
  return (
    <section aria-label="Needs attention" className="card flex min-h-[320px] min-w-0 flex-col overflow-hidden">
      <h2 className="flex h-10 flex-none items-center gap-2 px-4 font-medium">
        Needs attention
        {attentionItems.length > 0 && (
          <span className="rounded-full bg-hover px-1.5 text-ink-2 text-xs">{attentionItems.length}</span>
        )}
      </h2>
      {failed && <ErrorState as="banner" error={failed.error} onRetry={() => void failed.refetch()} />}
      <div className="max-h-[300px] min-h-0 flex-1 overflow-y-auto">
        <AttentionItems attentionItems={attentionItems} isKnown={isKnown && performance !== undefined} />
      </div>
    </section>
  );
}

function AttentionItems({ attentionItems, isKnown }: { attentionItems: AttentionItem[]; isKnown: boolean }) {
  if (!isKnown && attentionItems.length === 0)
    return (
      <div className="p-4">
        <SkeletonLines lines={4} />
      </div>
    );
  if (attentionItems.length === 0)
    return (
      <EmptyState small icon={<CircleCheck size={20} />} title="Nothing needs attention">
        No failing jobs, no failed deliveries, no waits expiring within the hour, and spending is within budget.
      </EmptyState>
    );
  return (
    <ul className="divide-y border-t" aria-label={plural(attentionItems.length, "issue")}>
      {attentionItems.map(({ id, status, title, detail, href, action }) => (
        <li key={id} className="flex flex-wrap items-start justify-end gap-x-2.5 gap-y-1.5 px-4 py-2.5">
          <span className="mt-[3px]">
            <StatusMark status={status} as="mark" />
          </span>
          <div className="min-w-40 flex-1">
            <p className="font-medium">{title}</p>
            <p className="line-clamp-2 text-ink-2 text-xs">
              <VaryingText text={detail} />
            </p>
          </div>
          <Link href={href} className="flex-none rounded-sm border px-2 py-1 font-medium text-xs hover:bg-hover">
            {action}
          </Link>
        </li>
      ))}
    </ul>
  );
}
