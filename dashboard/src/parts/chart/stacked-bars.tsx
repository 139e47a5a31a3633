import { type CSSProperties, useMemo } from "react";
import { cx } from "../class-names.ts";
import { formatMoment, formatShort } from "../format.ts";
import { useSettings } from "../settings.ts";
import { ChartFrame, type ChartSeries } from "./chart.tsx";
import { fillOf } from "./fill-of.ts";
import { useBarPointer } from "./use-bar-pointer.ts";

type Props = {
  title: string;
  /** Start of each bar in epoch seconds. Undefined while loading. */
  times: number[] | undefined;
  /** Bottom to top. */
  series: ChartSeries[];
  /** Duration of one bar. */
  bucketSecs: number;
  height?: number;
  /** A bar or a segment was clicked. */
  onPick?: (from: number, to: number, label: string | undefined) => void;
  /** Bars were selected by dragging. */
  onBrush?: (from: number, to: number) => void;
};

const AXIS = 20;
const MAX_LABELS = 6;
const NONE: number[] = [];

/** Counts over time, one stacked bar per bucket. Failures are hatched, so that they do not depend on color alone. */
export function StackedBars(props: Props) {
  const { title, times = NONE, series, height = 180, onPick, onBrush } = props;
  const sums = useMemo(
    () => times.map((_, nth) => series.reduce((sum, { values }) => sum + (values[nth] ?? 0), 0)),
    [times, series],
  );
  const { hovered, isLit, pointer } = useBarPointer({ ...props, times }, sums);
  const max = niceMax(Math.max(0, ...sums));
  const tall = height - AXIS - 8;
  return (
    <ChartFrame
      title={title}
      times={props.times}
      series={series}
      height={height}
      isBars
      note={onBrush && (onPick ? "Drag to zoom, click to open" : "Drag to zoom")}
    >
      <div className="flex gap-2 pt-2" style={{ height }}>
        <CountAxis max={max} />
        <div className="relative min-w-0 flex-1">
          <div className="absolute inset-x-0 top-0 border-t" />
          <div className="absolute inset-x-0 border-t" style={{ top: tall / 2 }} />
          <div
            className={cx("relative flex touch-pan-y items-end border-b", onPick && "cursor-pointer")}
            style={{ height: tall }}
            {...pointer}
          >
            {times.map((time, nth) => (
              <Bar key={time} nth={nth} series={series} max={max} isLit={isLit(nth)} />
            ))}
          </div>
          {hovered !== undefined && <BarTip nth={hovered} times={times} series={series} />}
          <TimeAxis times={times} />
        </div>
      </div>
    </ChartFrame>
  );
}

function CountAxis({ max }: { max: number }) {
  return (
    <ol
      aria-hidden="true"
      className="flex w-9 flex-none flex-col justify-between text-right text-xs text-ink-3"
      style={{ paddingBottom: AXIS - 8, marginTop: -8 }}
    >
      {[1, 0.5, 0].map((share) => (
        <li key={share}>{formatShort(max * share)}</li>
      ))}
    </ol>
  );
}

function Bar({ nth, series, max, isLit }: { nth: number; series: ChartSeries[]; max: number; isLit: boolean }) {
  return (
    <div className={cx("flex h-full min-w-0 flex-1 flex-col-reverse px-px", isLit && "bg-hover")}>
      {series.map(({ label, values, family, stroke }) => (
        <Part key={label} label={label} part={(values[nth] ?? 0) / max} fill={fillOf(family, stroke)} />
      ))}
    </div>
  );
}

function Part({ label, part, fill }: { label: string; part: number; fill: CSSProperties }) {
  if (part <= 0) return null;
  return (
    <div
      data-series={label}
      className="first:rounded-b-none last:rounded-t-[2px]"
      style={{ height: `max(${part * 100}%, 2px)`, ...fill }}
    />
  );
}

function BarTip({ nth, times, series }: { nth: number; times: number[]; series: ChartSeries[] }) {
  const { zone } = useSettings();
  const isLeft = nth > times.length / 2;
  const place = isLeft
    ? { right: `${100 - (nth / times.length) * 100}%` }
    : { left: `${((nth + 1) / times.length) * 100}%` };
  return (
    <div className="floating pointer-events-none absolute top-1 z-10 mx-1 min-w-36 p-2 text-xs" style={place}>
      <p className="whitespace-nowrap text-ink-2">{formatMoment((times[nth] ?? 0) * 1_000, zone)}</p>
      {series.map(({ label, values }) => (
        <p key={label} className="flex justify-between gap-4">
          <span>{label}</span>
          <span className="font-mono">{formatShort(values[nth] ?? 0)}</span>
        </p>
      ))}
    </div>
  );
}

function TimeAxis({ times }: { times: number[] }) {
  const { zone } = useSettings();
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const step = Math.max(1, Math.ceil(times.length / MAX_LABELS));
  const text = (time: number) =>
    new Date(time * 1_000).toLocaleString(undefined, {
      ...(span > 2 * 86_400
        ? { day: "numeric", month: "short" }
        : { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...(span < 600 && { second: "2-digit" }) }),
      ...(zone === "utc" && { timeZone: "UTC" }),
    });
  return (
    <div aria-hidden="true" className="relative text-xs text-ink-3" style={{ height: AXIS }}>
      {times.map((time, nth) =>
        nth % step === 0 && nth <= times.length - step / 2 ? (
          <span
            key={time}
            className="absolute top-1 whitespace-nowrap"
            style={{ left: `${(nth / times.length) * 100}%` }}
          >
            {text(time)}
          </span>
        ) : null,
      )}
    </div>
  );
}

/** Rounds up to a number whose half is round too. */
function niceMax(value: number): number {
  if (value <= 4) return value <= 2 ? 2 : 4;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.2, 1.6, 2, 3, 4, 6, 8, 10].find((step) => step * power >= value) ?? 10) * power;
}
