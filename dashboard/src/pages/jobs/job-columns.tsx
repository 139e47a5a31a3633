import type { PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import type { Job } from "@millrace/contract/jobs/jobs";
import { Pause, Play } from "lucide-react";
import { Progress } from "../../parts/chart/progress.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { formatCount, formatDuration, formatPercent } from "../../parts/format.ts";
import { Link } from "../../parts/link.tsx";
import { Tooltip } from "../../parts/overlay/tooltip.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { TagLine } from "../../parts/tag-list.tsx";
import { Time } from "../../parts/time.tsx";
import { JobSpark } from "../shared-analytics/job-spark.tsx";
import { CronWords, ScheduleWords } from "../shared-schedules/schedule-words.tsx";
import type { Schedules } from "../shared-schedules/use-schedules.ts";
import { jobState } from "./job-state.ts";
import type { InFlight } from "./limits/use-in-flight.ts";
import { NextTimes } from "./next-times.tsx";

export type JobMeasures = PerformanceReport["slowest_jobs"][number];

/** Cells are empty while their data is undefined (still loading). */
type Given = {
  measures: ReadonlyMap<string, JobMeasures> | undefined;
  inFlight: InFlight;
  schedules: Schedules;
  href: (job: Job) => string;
  disabledReason: string | undefined;
  onPause: (job: Job) => void;
};

const NONE = <span className="text-ink-3">–</span>;

export function jobColumns({ measures, inFlight, schedules, href, disabledReason, onPause }: Given): Column<Job>[] {
  const measured = (job: Job, show: (found: JobMeasures) => string | null) => {
    if (!measures) return null;
    const found = measures.get(job.id);
    const text = found && show(found);
    return text ? <span className="font-mono text-xs">{text}</span> : NONE;
  };
  return [
    {
      id: "name",
      header: "Job",
      width: "minmax(224px, 2.2fr)",
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
      width: "96px",
      narrow: "meta",
      cell: (job) => <StatusMark status={jobState(job)} />,
    },
    {
      id: "spark",
      header: "Last 24 h",
      width: "112px",
      narrow: "meta",
      cell: ({ id, name }) => measures && <JobSpark name={name} job={measures.get(id)} />,
    },
    {
      id: "runs",
      header: "Runs",
      width: "68px",
      align: "end",
      cell: (job) => measured(job, ({ created }) => formatCount(created)),
    },
    {
      id: "success",
      header: "Success",
      width: "76px",
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
      header: "In flight",
      width: "92px",
      hidePriority: 1,
      cell: (job) => <Flight job={job} inFlight={inFlight} />,
    },
    {
      id: "schedule",
      header: "Schedule",
      width: "minmax(112px, 1.4fr)",
      hidePriority: 3,
      cell: (job) => <JobSchedules job={job} schedules={schedules} />,
    },
    {
      id: "tags",
      header: "Tags",
      width: "minmax(96px, 0.8fr)",
      hidePriority: 4,
      cell: ({ tags }) => <TagLine tags={tags} />,
    },
    {
      id: "version",
      header: "Version",
      width: "64px",
      hidePriority: 5,
      align: "end",
      cell: ({ version }) => <span className="font-mono text-xs">{version}</span>,
    },
    {
      id: "updated",
      header: "Updated",
      width: "84px",
      hidePriority: 2,
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
          disabledReason={disabledReason}
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

/** Used share of the concurrency limit; only the number if there is no limit. */
function Flight({ job, inFlight }: { job: Job; inFlight: InFlight }) {
  if (!inFlight) return null;
  const used = inFlight.byJob.get(job.id) ?? 0;
  const max = job.max_concurrency;
  const text = `${formatCount(used)}${inFlight.isAll || used === 0 ? "" : "+"}`;
  if (max === null) return used === 0 ? NONE : <span className="font-mono text-xs">{text}</span>;
  return (
    <span className="flex items-center gap-2">
      <span className="w-9 flex-none">
        <Progress label={`${job.name}: runs in flight`} value={Math.min(used, max)} total={max} />
      </span>
      <span className="font-mono text-xs">
        {text}
        <span className="text-ink-3">/{formatCount(max)}</span>
      </span>
    </span>
  );
}

/** The job's own cron shows its next runs in a tooltip; it is known before the schedules load. */
function JobSchedules({ job, schedules }: { job: Job; schedules: Schedules }) {
  if (job.cron === null) return <ScheduleWords of={job.id} schedules={schedules} />;
  const others = schedules?.get(job.id)?.filter(({ is_default }) => !is_default).length ?? 0;
  return (
    <Tooltip label={<NextTimes job={job} />} side="bottom">
      <span className="block">
        <CronWords cron={job.cron} note={job.timezone} others={others} />
      </span>
    </Tooltip>
  );
}
