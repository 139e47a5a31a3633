import type { Job } from "@millrace/contract/jobs/jobs";
import type { JobSchedule } from "@millrace/contract/jobs/schedules";
import { useApi } from "../../api/use-api.ts";
import { Skeleton } from "../../parts/state/skeleton.tsx";
import { cronWords } from "../cron-words.ts";
import { inZone } from "./in-zone.ts";

const SHOWN = 5;

/** Tooltip with the cron expression and its next runs, loaded when first shown. */
export function NextTimes({ job }: { job: Job }) {
  const { data } = useApi<JobSchedule>(`/v1/jobs/${job.id}/schedule`);
  return (
    <div className="flex flex-col gap-1 py-1">
      <p className="font-medium">{cronWords(job.cron ?? "")}</p>
      <p className="text-ink-2">
        <code className="font-mono">{job.cron}</code> {job.timezone}
      </p>
      <ol className="flex flex-col font-mono">
        {data?.job_id === job.id
          ? data.next_fire_times.slice(0, SHOWN).map((at) => <li key={at}>{inZone(at, data.timezone)}</li>)
          : Array.from({ length: SHOWN }, (_, nth) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical
              <li key={nth} className="flex h-4 items-center">
                <Skeleton className="h-3 w-48" />
              </li>
            ))}
      </ol>
      {data?.paused && <p className="text-ink-3">Paused: no runs are started.</p>}
    </div>
  );
}
