import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { Actor } from "../../parts/actor.tsx";
import { Id } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { TagLine } from "../../parts/tag-list.tsx";
import { Duration, Time } from "../../parts/time.tsx";
import { nameIn } from "../name-in.ts";
import type { Waits } from "../shared-waits/use-waits.ts";
import { WaitAction } from "../shared-waits/wait-action.tsx";
import { WorkflowRunState } from "../shared-waits/workflow-run-state.tsx";

type Href = (run: WorkflowRun) => string;

export function workflowRunColumns(
  workflows: ReadonlyMap<string, Workflow> | undefined,
  href: Href,
  waits: Waits,
): Column<WorkflowRun>[] {
  return [
    {
      id: "status",
      header: "Status",
      width: "minmax(196px, 1.8fr)",
      isFixed: true,
      narrow: "meta",
      cell: (run) => (
        <span className="flex pr-3">
          <WorkflowRunState run={run} wait={waits.get(run.id)} />
        </span>
      ),
    },
    {
      id: "workflow",
      header: "Workflow",
      width: "minmax(160px, 1fr)",
      isFixed: true,
      narrow: "title",
      cell: (run) => (
        <Link href={href(run)} tabIndex={-1} className="block truncate font-medium hover:text-accent hover:underline">
          {nameIn(workflows, run.workflow_id)}
        </Link>
      ),
    },
    {
      id: "action",
      header: "Action",
      width: "112px",
      hidePriority: 1,
      narrow: "end",
      cell: (run) => {
        const wait = run.status === "running" ? waits.get(run.id) : undefined;
        return wait && <WaitAction wait={wait} />;
      },
    },
    {
      id: "id",
      header: "Run",
      width: "124px",
      hidePriority: 1,
      narrow: "meta",
      cell: ({ id }) => <Id value={id} className="text-ink-2" />,
    },
    {
      id: "version",
      header: "Version",
      width: "72px",
      align: "end",
      cell: ({ version }) => <span className="font-mono text-xs">{version}</span>,
    },
    {
      id: "tags",
      header: "Tags",
      width: "minmax(204px, 1fr)",
      hidePriority: 2,
      cell: ({ tags }) => <TagLine tags={tags} />,
    },
    { id: "trigger", header: "Trigger", width: "92px", hidePriority: 3, cell: ({ trigger_type }) => trigger_type },
    {
      id: "error",
      header: "Error",
      width: "minmax(120px, 1.2fr)",
      cell: ({ error }) =>
        error ? (
          <span className="block truncate text-ink-2" title={error.message}>
            {error.message}
          </span>
        ) : (
          <span className="text-ink-3">–</span>
        ),
    },
    {
      id: "duration",
      header: "Duration",
      width: "88px",
      align: "end",
      narrow: "meta",
      cell: ({ started_at, finished_at }) => <Duration from={started_at} to={finished_at} />,
    },
    {
      id: "created_by",
      header: "Created by",
      width: "140px",
      isExtra: true,
      cell: ({ created_by, created_by_id }) => <Actor name={created_by} id={created_by_id} />,
    },
    {
      id: "created",
      header: "Created",
      width: "104px",
      align: "end",
      narrow: "end",
      cell: ({ created_at }) => <Time at={created_at} className="text-ink-2" />,
    },
  ];
}
