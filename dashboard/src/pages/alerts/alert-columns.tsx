import type { Alert } from "@millrace/contract/alerts/alerts";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";

const NONE = <span className="text-ink-3">–</span>;

export const ALERT_MARKS: Record<Alert["status"], { status: string; label: string }> = {
  firing: { status: "unhealthy", label: "Firing" },
  resolved: { status: "ok", label: "Resolved" },
};

export const alertColumns: Column<Alert>[] = [
  {
    id: "status",
    header: "Status",
    width: "110px",
    isFixed: true,
    narrow: "meta",
    cell: ({ status }) => <StatusMark {...ALERT_MARKS[status]} />,
  },
  {
    id: "rule",
    header: "Rule",
    width: "minmax(140px, 1fr)",
    isFixed: true,
    narrow: "title",
    cell: ({ rule_name }) => <span className="block truncate">{rule_name}</span>,
  },
  {
    id: "summary",
    header: "Summary",
    width: "minmax(200px, 2.4fr)",
    cell: ({ summary }) => (
      <span className="block truncate text-ink-2" title={summary}>
        {summary}
      </span>
    ),
  },
  { id: "fired", header: "Fired", width: "130px", narrow: "end", cell: ({ fired_at }) => <Time at={fired_at} /> },
  {
    id: "resolved",
    header: "Resolved",
    width: "130px",
    cell: ({ resolved_at }) => (resolved_at === null ? NONE : <Time at={resolved_at} />),
  },
  {
    id: "notifications",
    header: "Notifications",
    width: "110px",
    align: "end",
    hidePriority: 1,
    cell: ({ notifications }) => notifications,
  },
];
