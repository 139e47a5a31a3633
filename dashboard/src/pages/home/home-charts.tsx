import type { RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import { useMemo } from "react";
import { Chart } from "../../parts/chart/chart.tsx";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";
import { formatDuration, formatShort } from "../../parts/format.ts";
import { DurationChart } from "../shared-analytics/duration-chart.tsx";
import { BUCKET_SECS, delaysOf, endsOf, successOf, timesOf } from "../shared-analytics/run-series.ts";

type Brush = (from: number, to: number) => void;

export function Throughput({
  series,
  onPick,
  onBrush,
}: {
  series: RunTimeseries | undefined;
  onPick: (from: number, to: number, label: string | undefined) => void;
  onBrush: Brush;
}) {
  const times = useMemo(() => timesOf(series?.buckets), [series]);
  const ends = useMemo(() => endsOf(series?.buckets), [series]);
  return (
    <StackedBars
      title="Throughput"
      times={times}
      series={ends}
      bucketSecs={BUCKET_SECS[series?.bucket ?? "1h"]}
      height={268}
      onPick={onPick}
      onBrush={onBrush}
    />
  );
}

const inPercent = (value: number) => `${formatShort(value)}%`;

export function HomeCharts({ series, onBrush }: { series: RunTimeseries | undefined; onBrush: Brush }) {
  const shown = useMemo(() => {
    const buckets = series?.buckets;
    return {
      times: timesOf(buckets),
      success: successOf(buckets),
      queue: [
        { label: "Open runs", family: "waiting" as const, values: buckets?.map(({ open_runs }) => open_runs) ?? [] },
      ],
      delays: delaysOf(buckets),
    };
  }, [series]);
  const { times } = shown;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Chart title="Success rate" times={times} series={shown.success} format={inPercent} onBrush={onBrush} />
      <DurationChart buckets={series?.buckets} onBrush={onBrush} />
      <Chart title="Open runs" kind="area" times={times} series={shown.queue} onBrush={onBrush} />
      <Chart title="Queue wait" times={times} series={shown.delays} format={formatDuration} onBrush={onBrush} />
    </div>
  );
}
