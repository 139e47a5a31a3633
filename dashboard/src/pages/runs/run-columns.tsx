import type { Job } from "@millrace/contract/jobs/jobs";
import { triesOf } from "@millrace/contract/jobs/tries";
import type { Run } from "@millrace/contract/runs/runs";
import { Actor } from "../../parts/actor.tsx";
import { Progress } from "../../parts/chart/progress.tsx";
import { formatMoney } from "../../parts/format.ts";
import { hostOf } from "../../parts/host-of.ts";
import { Id } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { TagLine } from "../../parts/tag-list.tsx";
import { Duration, Time } from "../../parts/time.tsx";
import { nameIn } from "../name-in.ts";
import { ENDED } from "../shared-runs/use-run.ts";
import { RunState } from "../shared-waits/run-state.tsx";
import type { Waits } from "../shared-waits/use-waits.ts";
import { WaitAction } from "../shared-waits/wait-action.tsx";

const NONE = <span className="text-ink-3">–</span>;

type Shown = {
  jobs: ReadonlyMap<string, Job> | undefined;
  waits: Waits;
  downHosts: ReadonlyMap<string, string>;
  href: (run: Run) => string;
};

export function runColumns({ jobs, waits, downHosts, href }: Shown): Column<Run>[] {
  return [
    {
      id: "status",
      header: "Status",
      width: "minmax(196px, 1.6fr)",
      isFixed: true,
      narrow: "meta",
      cell: (run) => (
        <span className="flex pr-3">
          <RunState run={run} wait={waits.get(run.id)} downSince={downHosts.get(hostOf(urlOf(jobs, run)))} />
        </span>
      ),
    },
    {
      id: "job",
      header: "Job",
      width: "minmax(160px, 1.2fr)",
      isFixed: true,
      narrow: "title",
      cell: (run) => (
        <Link href={href(run)} tabIndex={-1} className="block truncate font-medium hover:text-accent hover:underline">
          {nameIn(jobs, run.job_id)}
          {run.step_ref && <span className="ml-1.5 font-normal text-ink-3">{run.step_ref}</span>}
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
        const wait = run.status === "waiting" ? waits.get(run.id) : undefined;
        return wait && <WaitAction wait={wait} />;
      },
    },
    {
      id: "id",
      header: "Run",
      width: "124px",
      hidePriority: 3,
      narrow: "meta",
      cell: ({ id }) => <Id value={id} className="text-ink-2" />,
    },
    {
      id: "tags",
      header: "Tags",
      width: "minmax(172px, 1.4fr)",
      hidePriority: 2,
      cell: ({ tags }) => <TagLine tags={tags} />,
    },
    {
      id: "key",
      header: "Key",
      width: "minmax(84px, 0.6fr)",
      hidePriority: 5,
      cell: ({ concurrency_key }) =>
        concurrency_key ? (
          <code className="font-mono text-xs" title={concurrency_key}>
            {concurrency_key}
          </code>
        ) : (
          NONE
        ),
    },
    { id: "trigger", header: "Trigger", width: "84px", hidePriority: 6, cell: ({ trigger_type }) => trigger_type },
    {
      id: "attempts",
      header: "Attempts",
      width: "76px",
      hidePriority: 1,
      align: "end",
      cell: (run) => (
        <span className="font-mono text-xs">
          {triesOf(run)}
          <span className="text-ink-3">/{run.max_attempts}</span>
        </span>
      ),
    },
    { id: "progress", header: "Progress", width: "112px", hidePriority: 4, cell: (run) => <RunProgress run={run} /> },
    {
      id: "duration",
      header: "Duration",
      width: "88px",
      align: "end",
      narrow: "meta",
      cell: ({ started_at, finished_at }) => <Duration from={started_at} to={finished_at} />,
    },
    {
      id: "cost",
      header: "Cost",
      width: "88px",
      align: "end",
      isExtra: true,
      cell: ({ cost_microusd }) =>
        cost_microusd > 0 ? <span className="font-mono text-xs">{formatMoney(cost_microusd)}</span> : NONE,
    },
    {
      id: "created_by",
      header: "Created by",
      width: "140px",
      isExtra: true,
      cell: ({ created_by, created_by_id }) => <Actor name={created_by} id={created_by_id} />,
    },
    {
      id: "error",
      header: "Error",
      width: "minmax(160px, 1fr)",
      isExtra: true,
      cell: ({ error }) => (error ? <span title={error.message}>{error.code}</span> : NONE),
    },
    {
      id: "created",
      header: "Created",
      width: "92px",
      align: "end",
      narrow: "end",
      cell: ({ created_at }) => <Time at={created_at} className="text-ink-2" />,
    },
  ];
}

function urlOf(jobs: Shown["jobs"], { job_id }: Run): string {
  return jobs?.get(job_id)?.endpoint_url ?? "";
}

/** An ended run shows no progress, whatever it reported last. */
function RunProgress({ run: { progress, status } }: { run: Run }) {
  if (!progress || progress.percent === null || ENDED.has(status)) return NONE;
  return (
    <span className="flex items-center gap-2" title={progress.message ?? undefined}>
      <Progress label="Progress" value={progress.percent} className="w-14" />
      <span className="font-mono text-ink-2 text-xs">{Math.round(progress.percent)}%</span>
      <span className="sr-only">{status}</span>
    </span>
  );
}
