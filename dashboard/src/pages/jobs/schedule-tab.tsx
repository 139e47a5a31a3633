import type { Job } from "@millrace/contract/jobs/jobs";
import type { JobSchedule } from "@millrace/contract/jobs/schedules";
import { useApi } from "../../api/use-api.ts";
import { Section } from "../../parts/facts.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { ScheduleStarts } from "../shared-schedules/schedule-starts.tsx";
import { inZone, offsetIn } from "./in-zone.ts";

/** Schedules of a job, and the next runs of its own cron. */
export function ScheduleTab({ job }: { job: Job }) {
  return (
    <div className="flex flex-col gap-4">
      <ScheduleStarts target={{ kind: "job", id: job.id, name: job.name }} />
      {job.cron !== null && <NextTimesOf job={job} />}
    </div>
  );
}

function NextTimesOf({ job }: { job: Job }) {
  const { data, error, refetch } = useApi<JobSchedule>(`/v1/jobs/${job.id}/schedule`);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data || data.job_id !== job.id) return <SkeletonLines />;
  return (
    <Section title="Next runs of the job's cron">
      <ol aria-label="Next runs" className="card divide-y">
        {data.next_fire_times.map((at, nth) => (
          <li key={at} className="flex min-h-9 flex-wrap items-center gap-x-3 px-4 py-1.5">
            <span className="font-mono text-xs">{inZone(at, data.timezone)}</span>
            <ClockChange before={data.next_fire_times[nth - 1]} at={at} timeZone={data.timezone} />
            <Time at={at} className="ml-auto text-ink-2" />
          </li>
        ))}
      </ol>
      {data.paused && <p className="mt-2 text-ink-2">Paused: no runs are started at these times.</p>}
    </Section>
  );
}

/** Marks the row where the UTC offset changes. */
function ClockChange({ before, at, timeZone }: { before: string | undefined; at: string; timeZone: string }) {
  if (before === undefined) return null;
  const [was, is] = [offsetIn(before, timeZone), offsetIn(at, timeZone)];
  return was === is ? null : (
    <Badge>
      DST change: {was} → {is}
    </Badge>
  );
}
