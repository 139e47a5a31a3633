import type { PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import type { RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import { useRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { Chart } from "../../parts/chart/chart.tsx";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";
import { Stat } from "../../parts/chart/stat.tsx";
import { formatDuration, formatPercent, formatShort } from "../../parts/format.ts";
import { shortId } from "../../parts/id.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { DurationChart } from "../shared-analytics/duration-chart.tsx";
import { FigureTable } from "../shared-analytics/figure-table.tsx";
import { endFigures, percentileFigures } from "../shared-analytics/figures.tsx";
import {
  BUCKET_SECS,
  delaysOf,
  endedOf,
  endsOf,
  STATUS_OF_LABEL,
  successOf,
  timesOf,
} from "../shared-analytics/run-series.ts";
import { rangeText, timeBefore } from "../shared-analytics/use-range.ts";
import type { TabProps } from "./tab-props.ts";

/** Above this a percentage is meaningless. */
const MAX_TIMES = 10;
type Job = PerformanceReport["slowest_jobs"][number];

/** Throughput, success rate, durations and slowest jobs, compared with the previous period. */
export function PerformanceTab({ query, onBrush }: TabProps) {
  const series = useApi<RunTimeseries>("/v1/analytics/timeseries", query);
  const earlier = useApi<RunTimeseries>("/v1/analytics/timeseries", timeBefore(query));
  const report = useApi<PerformanceReport>("/v1/analytics/performance", query);
  const { at } = usePlace();
  const { history } = useRouter();
  const buckets = series.data?.buckets;
  const shown = useMemo(
    () => ({
      times: timesOf(buckets),
      ends: endsOf(buckets),
      success: successOf(buckets),
      delays: delaysOf(buckets),
    }),
    [buckets],
  );
  const open = (from: number, to: number, label: string | undefined) =>
    history.push(at("runs", { ...(label && { q: `status:${STATUS_OF_LABEL[label]}` }), since: rangeText(from, to) }));
  const error = series.error ?? report.error;
  return (
    <div className="flex flex-col gap-4">
      {error && (
        <ErrorState as="banner" error={error} onRetry={() => void Promise.all([series.refetch(), report.refetch()])} />
      )}
      <Figures now={series.data?.total} before={earlier.data?.total} />
      <StackedBars
        title="Finished runs"
        times={shown.times}
        series={shown.ends}
        bucketSecs={BUCKET_SECS[series.data?.bucket ?? "1h"]}
        height={220}
        onPick={open}
        onBrush={onBrush}
      />
      <div className="grid gap-4 lg:grid-cols-3">
        <Chart
          title="Success rate"
          times={shown.times}
          series={shown.success}
          format={(value) => `${formatShort(value)}%`}
          onBrush={onBrush}
        />
        <DurationChart buckets={buckets} onBrush={onBrush} />
        <Chart title="Queue wait" times={shown.times} series={shown.delays} format={formatDuration} onBrush={onBrush} />
      </div>
      <FigureTable
        title="Slowest jobs"
        rows={report.data?.slowest_jobs}
        rowKey={({ job_id }) => job_id}
        none="No run finished in this period"
        figures={[
          { header: "Job", isText: true, value: ({ job_slug, job_id }: Job) => job_slug ?? shortId(job_id) },
          ...endFigures<Job>(),
          ...percentileFigures<Job>(),
        ]}
      />
    </div>
  );
}

function Figures({
  now,
  before,
}: {
  now: RunTimeseries["total"] | undefined;
  before: RunTimeseries["total"] | undefined;
}) {
  const change = (value: number | null | undefined, earlier: number | null | undefined) =>
    value && earlier && value / earlier < MAX_TIMES
      ? { change: value / earlier - 1, hint: "vs. previous period" }
      : { hint: earlier ? "far above the previous period" : "no previous data" };
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <Stat
        label="Finished runs"
        value={now && formatShort(endedOf(now))}
        {...change(now && endedOf(now), before && endedOf(before))}
      />
      <Stat
        label="Success rate"
        value={now && (now.success_rate === null ? "–" : formatPercent(now.success_rate))}
        {...change(now?.success_rate, before?.success_rate)}
      />
      <Stat
        label="p95 duration"
        isMoreBetter={false}
        value={now && (now.p95_ms === null ? "–" : formatDuration(now.p95_ms))}
        {...change(now?.p95_ms, before?.p95_ms)}
      />
      <Stat
        label="Retries"
        isMoreBetter={false}
        value={now && formatShort(now.retried)}
        {...change(now?.retried, before?.retried)}
      />
    </div>
  );
}
