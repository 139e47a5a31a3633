import type { ErrorIssue } from "@millrace/contract/alerts/error-issues";
import { Sparkline } from "../../parts/chart/sparkline.tsx";
import { plural } from "../../parts/format.ts";
import { shortId } from "../../parts/id.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";
import { VaryingText } from "../../parts/varying-text.tsx";
import { lastDays } from "./last-days.ts";

const NONE = <span className="text-ink-3">–</span>;

export const ISSUE_MARKS: Record<ErrorIssue["status"], { status: string; label: string }> = {
  open: { status: "failed", label: "Open" },
  resolved: { status: "completed", label: "Resolved" },
  ignored: { status: "skipped", label: "Ignored" },
};

export const issueColumns: Column<ErrorIssue>[] = [
  {
    id: "status",
    header: "Status",
    width: "110px",
    isFixed: true,
    narrow: "meta",
    cell: ({ status }) => <StatusMark {...ISSUE_MARKS[status]} />,
  },
  {
    id: "message",
    header: "Error",
    width: "minmax(220px, 3fr)",
    isFixed: true,
    narrow: "title",
    cell: ({ message, reopened_count }) => (
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate">
          <VaryingText text={message} />
        </span>
        {reopened_count > 0 && <Badge>reopened</Badge>}
      </span>
    ),
  },
  {
    id: "job",
    header: "Job",
    width: "minmax(120px, 1fr)",
    narrow: "meta",
    cell: ({ job_slug, job_id }) => (
      <code className="block truncate font-mono text-xs">{job_slug ?? shortId(job_id)}</code>
    ),
  },
  {
    id: "code",
    header: "Code",
    width: "120px",
    hidePriority: 3,
    cell: ({ code, http_status }) =>
      (code ?? http_status) === null ? (
        NONE
      ) : (
        <code className="block truncate font-mono text-xs">{code ?? `HTTP ${http_status}`}</code>
      ),
  },
  {
    id: "trend",
    header: "Last 14 days",
    width: "120px",
    hidePriority: 2,
    cell: ({ trend }) => <Occurrences trend={trend} />,
  },
  {
    id: "assigned",
    header: "Assigned to",
    width: "minmax(100px, 0.8fr)",
    hidePriority: 1,
    cell: ({ assigned_to }) => (assigned_to === null ? NONE : <span className="block truncate">{assigned_to}</span>),
  },
  {
    id: "first",
    header: "First seen",
    width: "110px",
    hidePriority: 2,
    cell: ({ first_seen_at }) => <Time at={first_seen_at} />,
  },
  {
    id: "last",
    header: "Last seen",
    width: "110px",
    narrow: "end",
    cell: ({ last_seen_at }) => <Time at={last_seen_at} />,
  },
];

const TREND_DAYS = 14;

/** Failed attempts by day. */
function Occurrences({ trend }: Pick<ErrorIssue, "trend">) {
  const { days, found } = lastDays(trend, TREND_DAYS);
  const values = days.map((day) => found.get(day)?.attempts ?? 0);
  const total = values.reduce((sum, value) => sum + value, 0);
  return (
    <Sparkline
      kind="bars"
      height={20}
      className="text-failed"
      values={values}
      label={`${plural(total, "failed attempt")} in the last ${TREND_DAYS} days`}
    />
  );
}
