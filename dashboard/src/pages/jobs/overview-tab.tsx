import type { DurationDistribution, RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import type { Job } from "@millrace/contract/jobs/jobs";
import { useRouter } from "@tanstack/react-router";
import { useMay } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { useIsStale } from "../../api/use-is-stale.ts";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";
import { Stat } from "../../parts/chart/stat.tsx";
import { cx } from "../../parts/class-names.ts";
import { Facts, Section } from "../../parts/facts.tsx";
import { boundsOf, TimeRange } from "../../parts/filter/time-range.tsx";
import { formatCount, formatDuration, formatPercent } from "../../parts/format.ts";
import { Link } from "../../parts/link.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { STALE } from "../../parts/state/stale.ts";
import { TagList } from "../../parts/tag-list.tsx";
import { Time } from "../../parts/time.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { BUCKET_SECS, endsOf, STATUS_OF_LABEL, timesOf } from "../shared-analytics/run-series.ts";
import { rangeText } from "../shared-analytics/use-range.ts";
import { Durations } from "./durations.tsx";

const MINUTE_MS = 60_000;

export function OverviewTab({ job }: { job: Job }) {
  const [{ since = "24h" }, change] = useSearchParams();
  const query = useTimeQuery(job, since);
  const isAllowed = useMay("analytics:read");
  const series = useApi<RunTimeseries>("/v1/analytics/timeseries", query, isAllowed);
  const durations = useApi<DurationDistribution>("/v1/analytics/runs/duration-distribution", query, isAllowed);
  const isStale = useIsStale(since, "/v1/analytics");
  const { at } = usePlace();
  const total = series.data?.total;
  const runs = (q: string) => at("runs", { q: `job:${job.slug}${q}`, since });
  return (
    <div aria-busy={isStale} className={cx("flex flex-col gap-4", isStale && STALE)}>
      <div className="flex items-center justify-between gap-2">
        <p className="text-ink-3 text-xs">
          {isAllowed ? "As of page load" : "You need the analytics:read scope to see analytics."}
        </p>
        <TimeRange value={since} onChange={(range) => change({ since: range })} />
      </div>
      {series.error && <ErrorState error={series.error} as="banner" onRetry={() => void series.refetch()} />}
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Stat label="Runs" value={total && formatCount(total.created)} href={runs("")} hint="created" />
        <Stat
          label="Success"
          value={total && percentOf(total.success_rate)}
          href={runs(" status:failed,timed_out")}
          hint={total && `${formatCount(total.failed + total.timed_out)} failed`}
        />
        <Stat label="p50" value={total && msOf(total.p50_ms)} hint="duration" />
        <Stat label="p95" value={total && msOf(total.p95_ms)} hint={total && `p99 ${msOf(total.p99_ms)}`} />
      </div>
      {isAllowed && <Ended job={job} series={series.data} onBrush={(range) => change({ since: range })} />}
      <div className="grid gap-4 lg:grid-cols-2">
        <div className="min-w-0">
          <Durations distribution={durations.data} />
        </div>
        <Section title="Configuration">
          <JobFacts job={job} />
        </Section>
      </div>
    </div>
  );
}

type EndedProps = { job: Job; series: RunTimeseries | undefined; onBrush: (range: string) => void };

function Ended({ job, series, onBrush }: EndedProps) {
  const { at } = usePlace();
  const { history } = useRouter();
  return (
    <StackedBars
      title="Finished runs"
      times={timesOf(series?.buckets)}
      bucketSecs={BUCKET_SECS[series?.bucket ?? "1h"]}
      onBrush={(from, to) => onBrush(rangeText(from, to))}
      onPick={(from, to, label) => {
        const status = (label && STATUS_OF_LABEL[label]) ?? "completed,canceled,failed,timed_out";
        history.push(at("runs", { q: `job:${job.slug} status:${status}`, since: rangeText(from, to) }));
      }}
      series={endsOf(series?.buckets)}
    />
  );
}

/** Rounded to the minute, so that recent requests are reused. */
function useTimeQuery(job: Job, since: string) {
  const { environmentFilter } = usePlace();
  const now = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
  const bounds = boundsOf(since, now);
  return {
    job_id: job.id,
    environment_id: environmentFilter,
    ...(bounds && { from: bounds.from.toISOString(), to: bounds.to.toISOString() }),
  };
}

function percentOf(rate: number | null): string {
  return rate === null ? "–" : formatPercent(rate);
}

function msOf(ms: number | null): string {
  return ms === null ? "–" : formatDuration(ms);
}

function JobFacts({ job }: { job: Job }) {
  return (
    <div className="card p-4">
      <Facts
        facts={[
          ["Delivery", <Delivery key="d" job={job} />],
          [
            "Endpoint",
            job.endpoint_url && (
              <code key="e" className="break-all font-mono text-xs">
                {job.endpoint_url}
              </code>
            ),
          ],
          ["Queue", <QueueLink key="q" name={job.queue} />],
          ["Timeout", `${formatDuration(job.timeout_secs * 1_000)} per attempt`],
          ["Max. attempts", `${job.max_attempts}, ${job.retry_strategy} backoff`],
          ["Max. concurrency", job.max_concurrency ?? "no limit"],
          ["Version", job.version],
          ["Tags", Object.keys(job.tags).length > 0 ? <TagList key="t" tags={job.tags} /> : null],
          [
            "Created",
            <span key="c">
              <Time at={job.created_at} /> by {job.created_by}
            </span>,
          ],
          ["Updated", <Time key="u" at={job.updated_at} />],
        ]}
      />
    </div>
  );
}

function Delivery({ job }: { job: Job }) {
  const { at } = usePlace();
  if (job.delivery === "push") return "push";
  return (
    <>
      pull, by{" "}
      <Link href={at("workers")} className="text-accent underline">
        workers
      </Link>
    </>
  );
}

function QueueLink({ name }: { name: string }) {
  const { at } = usePlace();
  return (
    <Link href={at("queues")} className="font-mono text-accent text-xs hover:underline">
      {name}
    </Link>
  );
}
