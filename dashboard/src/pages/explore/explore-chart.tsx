import { useMemo } from "react";
import { Chart, type ChartSeries } from "../../parts/chart/chart.tsx";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";
import { formatDuration, formatMoment, formatPercent, formatShort } from "../../parts/format.ts";
import { useSettings } from "../../parts/settings.ts";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { Skeleton } from "../../parts/state/skeleton.tsx";
import { BUCKET_SECS } from "../shared-analytics/run-series.ts";
import { HeatMap } from "./heat-map.tsx";
import { lookOfPart } from "./look-of-part.ts";
import type { Metric } from "./metrics.ts";
import type { Explored, Line } from "./use-explored.ts";
import { WHOLE } from "./use-parts.ts";

export type ChartKind = "line" | "bar" | "table" | "heat";

type Props = {
  title: string;
  kind: ChartKind;
  metric: Metric;
  explored: Explored;
  height?: number;
  /** Why there are no such values. */
  missing: string | undefined;
  onBrush: (from: number, to: number) => void;
};

const HEIGHT = 380;

export function ExploreChart(props: Props) {
  const { lines, count, hasMore } = props.explored;
  if (props.missing) return <EmptyState title="Not kept by group">{props.missing}</EmptyState>;
  return (
    <>
      <ChartOfKind {...props} />
      {(hasMore || count > lines.length) && lines.length > 0 && (
        <p role="note" className="text-ink-2 text-xs">
          {hasMore
            ? `Showing the ${lines.length} largest groups. There are more.`
            : `Showing ${lines.length} of ${count}, the busiest first. Use the filter to see another.`}
        </p>
      )}
    </>
  );
}

function ChartOfKind({ title, kind, metric, explored, height = HEIGHT, onBrush }: Props) {
  const { times, lines, bucket } = explored;
  const format = useMemo(() => formatOf(metric), [metric]);
  const series = useMemo(() => seriesOf(lines, metric), [lines, metric]);
  if (times && lines.length === 0)
    return <EmptyState title="Nothing to show">There is no data in this period.</EmptyState>;
  if (kind === "bar") {
    const secs = BUCKET_SECS[(bucket ?? "1h") as keyof typeof BUCKET_SECS];
    return (
      <StackedBars title={title} times={times} series={series} bucketSecs={secs} height={height} onBrush={onBrush} />
    );
  }
  if (kind === "line") {
    return <Chart title={title} times={times} series={series} height={height} format={format} onBrush={onBrush} />;
  }
  if (!times) return <Skeleton className="h-96 w-full" />;
  return kind === "heat" ? (
    <HeatMap title={title} times={times} lines={lines} format={format} />
  ) : (
    <ChartTable title={title} times={times} lines={lines} format={format} />
  );
}

function seriesOf(lines: readonly Line[], metric: Metric): ChartSeries[] {
  if (lines.length === 1) {
    return lines.map(({ label, values }) => ({
      label: label === WHOLE ? metric.label : label,
      values,
      ...(metric.family && { family: metric.family }),
    }));
  }
  return lines.map(({ label, values }, nth) => ({ label, values, ...lookOfPart(nth) }));
}

type TableProps = { title: string; times: number[]; lines: readonly Line[]; format: (value: number) => string };

function ChartTable({ title, times, lines, format }: TableProps) {
  const { zone } = useSettings();
  return (
    <section aria-label={title} className="card max-h-[70vh] overflow-auto" tabIndex={0}>
      <table className="w-full text-left">
        <caption className="px-4 py-3 text-left font-medium">{title}</caption>
        <thead className="sticky top-0 border-b bg-surface text-ink-2 text-xs">
          <tr>
            <th className="h-9 px-4 font-medium">Time</th>
            {lines.map(({ label }) => (
              <th key={label} className="px-4 text-right font-medium">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, nth) => (
            <tr key={time} className="border-b last:border-0">
              <td className="h-8 whitespace-nowrap px-4">{formatMoment(time * 1_000, zone)}</td>
              {lines.map(({ label, values }) => (
                <td key={label} className="px-4 text-right font-mono text-xs">
                  {shownValue(values[nth], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function shownValue(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? "–" : format(value);
}

export function formatOf({ unit }: Metric): (value: number) => string {
  if (unit === "ms") return formatDuration;
  if (unit === "share") return formatPercent;
  if (unit === "microusd") return (value) => `$${(value / 1_000_000).toFixed(value < 10_000_000 ? 4 : 2)}`;
  return formatShort;
}

export function csvOf(times: readonly number[], lines: readonly Line[]): string {
  const head = ["time", ...lines.map(({ label }) => `"${label.replaceAll('"', '""')}"`)].join(",");
  const rows = times.map((time, nth) =>
    [new Date(time * 1_000).toISOString(), ...lines.map(({ values }) => values[nth] ?? "")].join(","),
  );
  return `${[head, ...rows].join("\n")}\n`;
}
