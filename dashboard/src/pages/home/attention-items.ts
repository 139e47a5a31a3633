import type { ErrorGroups, PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import type { ProjectBudget } from "@millrace/contract/analytics/project-budget";
import type { WebhookDelivery } from "@millrace/contract/deliveries/webhook-deliveries";
import type { EventTrigger } from "@millrace/contract/events/events";
import type { Page } from "../../api/use-api.ts";
import { formatDuration, formatPercent, formatRelative, moneyFormat, plural } from "../../parts/format.ts";
import { hostOf } from "../../parts/host-of.ts";
import { shortId } from "../../parts/id.tsx";
import type { Place } from "../../shell/place/place.ts";

export type AttentionItem = { id: string; status: string; title: string; detail: string; href: string; action: string };

type At = Place["at"];
const HOUR_MS = 3_600_000;
const MAX_PER_KIND = 5;

export function jobAttention(
  worst: PerformanceReport["health"]["worst_jobs"],
  errors: ErrorGroups | undefined,
  since: string,
  at: At,
): AttentionItem[] {
  return worst.slice(0, MAX_PER_KIND).map((job) => {
    const name = job.job_slug ?? shortId(job.job_id);
    const bad = job.failed + job.timed_out;
    const reason = errors?.data.find(({ job_id }) => job_id === job.job_id);
    const rate = job.success_rate === null ? "" : `, ${formatPercent(1 - job.success_rate)} of runs`;
    return {
      id: `job ${job.job_id}`,
      status: (job.success_rate ?? 0) < 0.8 ? "failed" : "degraded",
      title: `${name} failed ${bad === 1 ? "once" : `${bad} times`}${rate}`,
      detail: reason ? `${sinceOf(reason.first_seen_at)}${reason.message}` : "In the selected period.",
      href: at("runs", { q: `job:${job.job_slug ?? job.job_id} status:failed,timed_out`, since }),
      action: "View runs",
    };
  });
}

/** Grouped by host, because one host that is down fails many deliveries. */
export function deliveryAttention(failed: Page<WebhookDelivery> | undefined, at: At): AttentionItem[] {
  const byHost = new Map<string, WebhookDelivery[]>();
  for (const each of failed?.data ?? []) {
    const host = hostOf(each.url);
    byHost.set(host, [...(byHost.get(host) ?? []), each]);
  }
  return [...byHost].slice(0, MAX_PER_KIND).map(([host, all]) => ({
    id: `host ${host}`,
    status: "dead_lettered",
    title: `${plural(all.length, "webhook")} to ${host} failed`,
    detail: all[0]?.last_error ?? "They are in the dead-letter queue.",
    href: at("webhook-deliveries", { status: "failed", host }),
    action: "Retry",
  }));
}

export function waitAttention(waits: readonly EventTrigger[], at: At, now = Date.now()): AttentionItem[] {
  return waits
    .filter(({ expires_at }) => Date.parse(expires_at) - now < HOUR_MS)
    .slice(0, MAX_PER_KIND)
    .map(({ id, event_key, expires_at, workflow_run_id }) => ({
      id: `wait ${id}`,
      status: "expiring",
      title: `A wait expires in ${formatDuration(Date.parse(expires_at) - now)}`,
      detail: event_key,
      href: workflow_run_id ? at(`workflow-runs/${workflow_run_id}`) : at("events", { key: event_key }),
      action: "Send event",
    }));
}

export function ofBudget(budget: ProjectBudget | undefined, at: At): AttentionItem[] {
  const amount = budget?.monthly_budget_microusd;
  if (!budget || amount === null || amount === undefined) return [];
  const part = amount === 0 ? 1 : budget.settled_microusd / amount;
  if (part < 0.8 && budget.blocked_at === null) return [];
  const isBlocked = budget.blocked_at !== null;
  const money = moneyFormat(budget.settled_microusd, amount);
  return [
    {
      id: "budget",
      status: isBlocked || part >= 1 ? "failed" : "degraded",
      title: isBlocked ? "Runs are blocked by the budget" : `${formatPercent(part)} of the budget used`,
      detail: `${money(budget.settled_microusd)} of ${money(amount)} this month.`,
      href: at("costs"),
      action: isBlocked ? "Raise budget" : "View costs",
    },
  ];
}

/** First, because the end of a long message is cut off. */
function sinceOf(at: string | null): string {
  return at === null ? "" : `First seen ${formatRelative(Date.parse(at), Date.now())}: `;
}
