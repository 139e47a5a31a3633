import { useMemo } from "react";
import { Chart } from "../../parts/chart/chart.tsx";
import { formatDuration } from "../../parts/format.ts";
import { type Percentiles, percentilesOf, timesOf } from "./run-series.ts";

type Props = {
  title?: string;
  buckets: readonly (Percentiles & { starts_at: string })[] | undefined;
  onBrush?: (from: number, to: number) => void;
};

/** p50, p95 and p99 over time. */
export function DurationChart({ title = "Duration", buckets, onBrush }: Props) {
  const times = useMemo(() => timesOf(buckets), [buckets]);
  const series = useMemo(() => percentilesOf(buckets), [buckets]);
  return <Chart title={title} times={times} series={series} format={formatDuration} {...(onBrush && { onBrush })} />;
}
