import type { PerformanceReport } from "@millrace/contract/analytics";
import type { Job } from "@millrace/contract/jobs";
import { Pause, Play } from "lucide-react";
import { formatCount, formatDuration, formatPercent } from "../../parts/format.ts";
import { IconButton } from "../../parts/icon-button.tsx";
import { Link } from "../../parts/link.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import type { Column } from "../../parts/table-columns.tsx";
import { TagList } from "../../parts/tag-list.tsx";
import { Time } from "../../parts/time.tsx";
import { cronWords } from "./cron-words.ts";
import { jobState } from "./job-state.ts";

export type JobMeasures = PerformanceReport["slowest_jobs"][number];

type Given = {
  measures: ReadonlyMap<string, JobMeasures>;
  href: (job: Job) => string;
  refusal: string | undefined;
  onPause: (job: Job) => void;
};

const NONE = <span className="text-ink-3">–</span>;

export function jobColumns({ measures, href, refusal, onPause }: Given): Column<Job>[] {
  const measured = (job: Job, show: (found: JobMeasures) => string | null) => {
    const found = measures.get(job.id);
    const text = found && show(found);
    return text ? <span className="font-mono text-xs">{text}</span> : NONE;
  };
  return [
    {
      id: "name",
      header: "Job",
      width: "minmax(180px, 1.4fr)",
      narrow: "title",
      cell: (job) => (
        <Link href={href(job)} tabIndex={-1} className="block truncate font-medium hover:text-accent hover:underline">
          {job.name}
          <span className="ml-2 font-mono font-normal text-ink-3 text-xs">{job.slug}</span>
        </Link>
      ),
    },
    {
      id: "state",
      header: "State",
      width: "104px",
      narrow: "meta",
      cell: (job) => <StatusMark status={jobState(job)} />,
    },
    {
      id: "runs",
      header: "Runs, 24 h",
      width: "92px",
      align: "end",
      cell: (job) => measured(job, ({ created }) => formatCount(created)),
    },
    {
      id: "success",
      header: "Success",
      width: "84px",
      align: "end",
      narrow: "meta",
      cell: (job) => measured(job, ({ success_rate }) => (success_rate === null ? null : formatPercent(success_rate))),
    },
    {
      id: "p95",
      header: "p95",
      width: "84px",
      align: "end",
      narrow: "meta",
      cell: (job) => measured(job, ({ p95_ms }) => (p95_ms === null ? null : formatDuration(p95_ms))),
    },
    {
      id: "limit",
      header: "At once",
      width: "76px",
      align: "end",
      cell: ({ max_concurrency }) =>
        max_concurrency === null ? NONE : <span className="font-mono text-xs">{formatCount(max_concurrency)}</span>,
    },
    {
      id: "schedule",
      header: "Schedule",
      width: "minmax(160px, 1.6fr)",
      cell: ({ cron, timezone }) =>
        cron ? (
          <span title={`${cron} ${timezone}`}>
            {cronWords(cron)} <span className="text-ink-3">{timezone}</span>
          </span>
        ) : (
          NONE
        ),
    },
    { id: "tags", header: "Tags", width: "minmax(72px, 0.5fr)", cell: ({ tags }) => <TagList tags={tags} /> },
    {
      id: "version",
      header: "Version",
      width: "72px",
      align: "end",
      cell: ({ version }) => <span className="font-mono text-xs">{version}</span>,
    },
    {
      id: "updated",
      header: "Changed",
      width: "84px",
      align: "end",
      narrow: "end",
      cell: ({ updated_at }) => <Time at={updated_at} className="text-ink-2" />,
    },
    {
      id: "pause",
      header: "",
      width: "40px",
      cell: (job) => (
        <IconButton
          size="small"
          tabIndex={-1}
          label={job.paused_at ? `Resume ${job.name}` : `Pause ${job.name}`}
          refusal={refusal}
          icon={job.paused_at ? <Play size={13} /> : <Pause size={13} />}
          onClick={(event) => {
            event.stopPropagation();
            onPause(job);
          }}
        />
      ),
    },
  ];
}
