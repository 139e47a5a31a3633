import type { RunTimeseries } from "@millrace/contract/analytics";
import { useMemo } from "react";
import { Chart } from "../../parts/chart.tsx";
import { formatDuration, formatShort } from "../../parts/format.ts";
import { StackedBars } from "../../parts/stacked-bars.tsx";
import { BUCKET_SECS, endsOf, percentilesOf, successOf, timesOf } from "../of-analytics/run-series.ts";

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

const inPercent = (value: number) => `${formatShort(value)} %`;

export function HomeCharts({ series, onBrush }: { series: RunTimeseries | undefined; onBrush: Brush }) {
  const shown = useMemo(() => {
    const buckets = series?.buckets;
    return {
      times: timesOf(buckets),
      success: successOf(buckets),
      durations: percentilesOf(buckets),
      queue: [
        { label: "Open runs", family: "waiting" as const, values: buckets?.map(({ open_runs }) => open_runs) ?? [] },
      ],
      delays: [
        { label: "p50", values: buckets?.map(({ start_delay_p50_ms }) => start_delay_p50_ms) ?? [] },
        {
          label: "p95",
          stroke: "dashed" as const,
          values: buckets?.map(({ start_delay_p95_ms }) => start_delay_p95_ms) ?? [],
        },
      ],
    };
  }, [series]);
  const { times } = shown;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Chart title="Success rate" times={times} series={shown.success} format={inPercent} onBrush={onBrush} />
      <Chart title="Duration" times={times} series={shown.durations} format={formatDuration} onBrush={onBrush} />
      <Chart title="Queue depth" kind="area" times={times} series={shown.queue} onBrush={onBrush} />
      <Chart title="Wait to begin" times={times} series={shown.delays} format={formatDuration} onBrush={onBrush} />
    </div>
  );
}
