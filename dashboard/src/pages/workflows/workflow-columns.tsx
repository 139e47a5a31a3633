import type { WorkflowCompletionRates } from "@millrace/contract/analytics/analytics-beyond-runs";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { formatCount, formatDuration, formatPercent } from "../../parts/format.ts";
import { Link } from "../../parts/link.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { TagLine } from "../../parts/tag-list.tsx";
import { Time } from "../../parts/time.tsx";
import { ScheduleWords } from "../shared-schedules/schedule-words.tsx";
import type { Schedules } from "../shared-schedules/use-schedules.ts";

type Rate = WorkflowCompletionRates["data"][number];

const NONE = <span className="text-ink-3">–</span>;

/** `rates`: undefined while loading; a dash means no data. */
export function workflowColumns(
  rates: ReadonlyMap<string, Rate> | undefined,
  schedules: Schedules,
  href: (workflow: Workflow) => string,
): Column<Workflow>[] {
  return [
    {
      id: "name",
      header: "Workflow",
      width: "minmax(200px, 2fr)",
      narrow: "title",
      cell: (workflow) => (
        <Link
          href={href(workflow)}
          tabIndex={-1}
          className="block truncate font-medium hover:text-accent hover:underline"
        >
          {workflow.name}
          <span className="ml-2 font-mono font-normal text-ink-3 text-xs">{workflow.slug}</span>
        </Link>
      ),
    },
    {
      id: "enabled",
      header: "State",
      width: "108px",
      narrow: "meta",
      cell: ({ enabled }) => <StatusMark status={enabled ? "active" : "disabled"} />,
    },
    {
      id: "version",
      header: "Version",
      width: "96px",
      narrow: "meta",
      cell: ({ version, current_version }) => (
        <span className="font-mono text-xs">
          {current_version}
          {version !== current_version && <span className="text-ink-3"> of {version}</span>}
        </span>
      ),
    },
    {
      id: "steps",
      header: "Steps",
      width: "72px",
      hidePriority: 1,
      align: "end",
      cell: ({ steps }) => mono(formatCount(steps.length)),
    },
    {
      id: "schedule",
      header: "Schedule",
      width: "minmax(150px, 1fr)",
      hidePriority: 2,
      cell: ({ id }) => <ScheduleWords of={id} schedules={schedules} />,
    },
    {
      id: "tags",
      header: "Tags",
      width: "minmax(96px, 1fr)",
      hidePriority: 3,
      cell: ({ tags }) => <TagLine tags={tags} />,
    },
    {
      id: "runs",
      header: "Runs, 24 h",
      width: "84px",
      align: "end",
      cell: ({ id }) => rates && counted(rates.get(id)),
    },
    {
      id: "success",
      header: "Success",
      width: "80px",
      align: "end",
      narrow: "meta",
      cell: ({ id }) => rates && of(rates.get(id)?.success_rate, formatPercent),
    },
    {
      id: "p95",
      header: "p95",
      width: "80px",
      align: "end",
      cell: ({ id }) => rates && of(rates.get(id)?.p95_ms, formatDuration),
    },
    {
      id: "updated",
      header: "Updated",
      width: "104px",
      align: "end",
      narrow: "end",
      cell: ({ updated_at }) => <Time at={updated_at} className="text-ink-2" />,
    },
  ];
}

function counted(rate: Rate | undefined) {
  return rate ? mono(formatCount(rate.started)) : NONE;
}

function of(value: number | null | undefined, format: (value: number) => string) {
  return value === null || value === undefined ? NONE : mono(format(value));
}

function mono(text: string) {
  return <span className="font-mono text-xs">{text}</span>;
}
