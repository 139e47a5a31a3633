import type { Job } from "@millrace/contract/jobs";
import type { JobSchedule } from "@millrace/contract/schedules";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../parts/badge.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Section } from "../../parts/facts.tsx";
import { SkeletonLines } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { codeOf } from "../code-of.ts";
import { cronWords } from "../cron-words.ts";
import { inZone, offsetIn } from "./in-zone.ts";

/** When the job's own cron fires, in words and as times in its zone. */
export function ScheduleTab({ job }: { job: Job }) {
  const { data, error, refetch } = useApi<JobSchedule>(`/v1/jobs/${job.id}/schedule`, {}, job.cron !== null);
  if (job.cron === null) {
    const body = { cron: "0 6 * * 1-5", timezone: "Europe/Berlin" };
    return (
      <EmptyState
        small
        title="No schedule of its own"
        code={<CodeBlock code={codeOf({ method: "PATCH", path: `/v1/jobs/${job.slug}`, body }).curl} />}
      >
        Give it a cron expression on the tab Settings, or with a request.
      </EmptyState>
    );
  }
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data || data.job_id !== job.id) return <SkeletonLines />;
  return (
    <div className="flex flex-col gap-4">
      <div>
        <p className="font-medium text-base">{cronWords(data.cron)}</p>
        <p className="text-ink-2">
          <code className="font-mono text-xs">{data.cron}</code> in {data.timezone}, overlap:{" "}
          {job.cron_overlap_policy.replaceAll("_", " ")}
          {data.paused && " · paused: nothing is fired"}
        </p>
      </div>
      <Section title="Next times">
        <ol className="card divide-y">
          {data.next_fire_times.map((at, nth) => (
            <li key={at} className="flex min-h-9 flex-wrap items-center gap-x-3 px-4 py-1.5">
              <span className="font-mono text-xs">{inZone(at, data.timezone)}</span>
              <ClockChange before={data.next_fire_times[nth - 1]} at={at} timeZone={data.timezone} />
              <Time at={at} className="ml-auto text-ink-2" />
            </li>
          ))}
        </ol>
      </Section>
    </div>
  );
}

/** The same time of day is another instant from here on. */
function ClockChange({ before, at, timeZone }: { before: string | undefined; at: string; timeZone: string }) {
  if (before === undefined) return null;
  const [was, is] = [offsetIn(before, timeZone), offsetIn(at, timeZone)];
  return was === is ? null : (
    <Badge>
      clocks change: {was} → {is}
    </Badge>
  );
}
