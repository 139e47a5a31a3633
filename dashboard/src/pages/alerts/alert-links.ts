import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import type { Alert } from "@millrace/contract/alerts/alerts";

type AlertLink = { label: string; page: string; search?: Record<string, string | undefined> };

type Named = { issues?: { id: string; message: string }[]; endpoints?: { host: string }[]; schedules?: unknown[] };

/** Links from an alert to the pages that show what it measured. `slug` is that of the rule's job. */
export function linksOf(alert: Alert, rule: AlertRule | undefined, slug: string | undefined): AlertLink[] {
  const { issues = [], endpoints = [], schedules = [] } = alert.detail as Named;
  return [
    ...issues.map(({ id, message }) => ({ label: message, page: `error-issues/${id}` })),
    ...endpoints.map(({ host }) => ({ label: host, page: "endpoints" })),
    ...(schedules.length > 0 && rule?.job_id
      ? [{ label: "Schedule of the job", page: `jobs/${rule.job_id}`, search: { tab: "schedule" } }]
      : []),
    ...kindLinks(alert, slug),
    ...targetLinks(rule),
  ];
}

function kindLinks({ kind }: Alert, slug: string | undefined): AlertLink[] {
  const runs = (label: string, q: string): AlertLink[] => [
    { label, page: "runs", search: { q: slug ? `${q} job:${slug}` : q } },
  ];
  switch (kind) {
    case "failure_rate":
    case "slo_burn_rate":
    case "no_success":
      return runs("Failed runs", "status:failed,timed_out");
    case "oldest_queued":
    case "queue_depth":
      return [{ label: "Queues", page: "queues" }, ...runs("Queued runs", "status:pending")];
    case "dead_letters":
      return runs("Runs in the dead-letter queue", "is:dead");
    case "budget":
      return [{ label: "Costs and budget", page: "costs" }];
    case "endpoint_down":
      return [{ label: "All endpoints", page: "endpoints" }];
    case "new_errors":
      return [{ label: "All error issues", page: "error-issues" }];
    case "schedule_missed":
      return [];
  }
}

function targetLinks(rule: AlertRule | undefined): AlertLink[] {
  if (rule?.job_id) return [{ label: "Job", page: `jobs/${rule.job_id}` }];
  return rule?.workflow_id ? [{ label: "Workflow", page: `workflows/${rule.workflow_id}` }] : [];
}
