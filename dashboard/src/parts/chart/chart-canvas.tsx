import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatDuration, formatShort } from "../format.ts";
import { alone } from "../overlay/alone.ts";
import { getSettings } from "../settings.ts";
import { FAMILY_COLOR } from "../state/statuses.ts";
import type { ChartProps, ChartSeries } from "./chart.tsx";

type Props = ChartProps & { times: number[]; height: number; format: (value: number) => string };

/** Grid lines at round durations in milliseconds; uPlot's default would be 16m 40s. */
const ROUND_DURATIONS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1_440, 2_880, 7_200, 14_400].map((minutes) => minutes * 60_000),
];
/** Counts have no fractions. */
const WHOLE = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const DASHES = { solid: [], dashed: [6, 4], dotted: [2, 3] };

/** uPlot in React: recreated when the data or theme changes, which takes about a millisecond. */
export default function ChartCanvas(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const node = place.current;
    if (!node) return;
    let plot = draw(node, props);
    const redraw = () => {
      plot.destroy();
      plot = draw(node, props);
    };
    const sizes = new ResizeObserver(() => plot.setSize({ width: node.clientWidth, height: props.height }));
    sizes.observe(node);
    const themes = new MutationObserver(redraw);
    themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      sizes.disconnect();
      themes.disconnect();
      plot.destroy();
    };
  }, [props]);
  return <div ref={place} style={{ height: props.height }} />;
}

function draw(node: HTMLElement, { times, series, kind = "lines", height, format, onBrush }: Props): uPlot {
  const color = (name: string) => resolve(node, name);
  const values = kind === "stacked" ? stacked(series) : series.map((each) => each.values);
  const options: uPlot.Options = {
    width: node.clientWidth,
    height,
    legend: { show: false },
    padding: [8, 18, 0, 0],
    cursor: { y: false, drag: { x: onBrush !== undefined, y: false, setScale: false }, points: { size: 6 } },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis(color), size: 26, values: (_, ticks) => ticks.map((tick) => formatTick(tick, times)) },
      {
        ...axis(color),
        size: 56,
        ...rule(values, format),
        values: (_, ticks) => withoutRepeats(ticks.map(format)),
      },
    ],
    series: [{}, ...series.map((each) => line(each, color, kind))],
    // Later series are drawn first, so that each stack covers the one above it.
    ...(kind === "stacked" && {
      bands: series.slice(1).map((_, nth) => ({ series: [nth + 2, nth + 1] as [number, number] })),
    }),
    hooks: { setSelect: [(plot) => notifyBrush(plot, onBrush)] },
  };
  return new uPlot(options, [times, ...values] as uPlot.AlignedData, node);
}

/** Grid lines. Without positive values only the bottom line is drawn. */
function rule(values: (number | null)[][], format: Props["format"]): Pick<uPlot.Axis, "splits" | "incrs"> {
  const all = values.flat();
  if (!all.some((value) => value !== null && value > 0)) return { splits: [0] };
  if (format === formatDuration) return { incrs: ROUND_DURATIONS };
  return format === formatShort ? { incrs: WHOLE } : {};
}

function line(each: ChartSeries, color: (name: string) => string, kind: Props["kind"]): uPlot.Series {
  const stroke = color(each.family ? FAMILY_COLOR[each.family] : "var(--color-accent)");
  const fill =
    kind === "lines" ? {} : { fill: `color-mix(in oklab, ${stroke} ${kind === "stacked" ? 45 : 16}%, transparent)` };
  return {
    label: each.label,
    stroke,
    width: 1.5,
    dash: DASHES[each.stroke ?? "solid"],
    // A value between gaps has no line, so it is drawn as a point.
    points: { show: true, filter: () => alone(each.values), size: 5, fill: stroke },
    ...fill,
  };
}

function axis(color: (name: string) => string): uPlot.Axis {
  const grid = { stroke: color("var(--color-border)"), width: 1 };
  return {
    stroke: color("var(--color-ink-3)"),
    grid,
    ticks: { show: false },
    font: '12px "Geist Variable", system-ui',
  };
}

/** The date if several days are shown, otherwise the time. */
function formatTick(tick: number, times: number[]): string {
  const isDays = (times.at(-1) ?? 0) - (times[0] ?? 0) > 2 * 86_400;
  return new Date(tick * 1_000).toLocaleString(undefined, {
    ...(isDays ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    ...(getSettings().zone === "utc" && { timeZone: "UTC" }),
  });
}

/** With small values several grid lines would have the same label. */
function withoutRepeats(labels: string[]): string[] {
  return labels.map((label, nth) => (label === labels[nth - 1] ? "" : label));
}

function stacked(series: ChartSeries[]): number[][] {
  const sums: number[] = [];
  return series.map(({ values }) =>
    values.map((value, nth) => {
      const sum = (sums[nth] ?? 0) + (value ?? 0);
      sums[nth] = sum;
      return sum;
    }),
  );
}

function notifyBrush(plot: uPlot, onBrush: Props["onBrush"]): void {
  const { left, width } = plot.select;
  if (width < 4 || !onBrush) return;
  onBrush(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
  plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
}

/** Canvas does not support CSS variables, so they are resolved here. */
function resolve(node: HTMLElement, name: string): string {
  node.style.color = name;
  const { color } = getComputedStyle(node);
  node.style.color = "";
  return color;
}
