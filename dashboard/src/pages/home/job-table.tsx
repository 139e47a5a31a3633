import type { PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import { formatDuration, formatPercent, formatShort } from "../../parts/format.ts";
import { shortId } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { JobSpark } from "../shared-analytics/job-spark.tsx";

type Job = PerformanceReport["slowest_jobs"][number];
type Props = { since: string; performance: PerformanceReport | undefined };

/** The slowest jobs and the results of their runs. */
export function JobTable({ since, performance }: Props) {
  const { at } = usePlace();
  const jobs = performance?.slowest_jobs.slice(0, 8) ?? [];
  if (jobs.length === 0) return null;
  return (
    <section className="card overflow-hidden">
      <h2 className="flex h-10 items-center px-4 font-medium">Slowest jobs</h2>
      <div className="overflow-x-auto">
        <table className="w-full min-w-[640px] text-left">
          <thead className="whitespace-nowrap border-y bg-surface text-ink-2 text-xs">
            <tr>
              <th className="h-8 px-4 font-medium">Job</th>
              <th className="px-3 font-medium">Over time</th>
              <th className="px-3 text-right font-medium">Finished</th>
              <th className="px-3 font-medium">Success</th>
              <th className="px-3 text-right font-medium">p50</th>
              <th className="px-3 text-right font-medium">p95</th>
              <th className="px-4 text-right font-medium">p99</th>
            </tr>
          </thead>
          <tbody>
            {jobs.map((job) => (
              <tr key={job.job_id} className="border-b last:border-b-0 hover:bg-surface">
                <td className="h-9 max-w-60 truncate px-4">
                  <Link
                    href={at("runs", { q: `job:${job.job_slug ?? job.job_id}`, since })}
                    className="font-medium hover:text-accent hover:underline"
                  >
                    {job.job_slug ?? shortId(job.job_id)}
                  </Link>
                </td>
                <td className="px-3">
                  <JobSpark name={job.job_slug ?? job.job_id} job={job} />
                </td>
                <td className="px-3 text-right font-mono text-xs">
                  {formatShort(job.completed + job.failed + job.timed_out + job.canceled)}
                </td>
                <td className="px-3">
                  <SuccessBar job={job} />
                </td>
                <Ms value={job.p50_ms} />
                <Ms value={job.p95_ms} />
                <Ms value={job.p99_ms} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function SuccessBar({ job: { success_rate } }: { job: Job }) {
  if (success_rate === null) return <span className="text-ink-3">–</span>;
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden="true" className="flex h-1.5 w-16 overflow-hidden rounded-full bg-failed">
        <span className="h-full bg-success" style={{ width: `${success_rate * 100}%` }} />
      </span>
      <span className="font-mono text-xs">{formatPercent(success_rate)}</span>
    </span>
  );
}

function Ms({ value }: { value: number | null }) {
  return (
    <td className="px-3 text-right font-mono text-xs last:px-4">{value === null ? "–" : formatDuration(value)}</td>
  );
}
