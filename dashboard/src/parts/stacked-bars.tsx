import { type PointerEvent, useMemo, useState } from "react";
import { ChartFrame, type ChartSeries } from "./chart.tsx";
import { cx } from "./class-names.ts";
import { formatInstant, formatShort } from "./format.ts";
import { useSettings } from "./settings.ts";
import { FAMILY_COLOR } from "./statuses.ts";

type Props = {
  title: string;
  /** Seconds since 1970 at which each bar begins. */
  times: number[];
  /** From the bottom up. */
  series: ChartSeries[];
  /** How long one bar is. */
  bucketSecs: number;
  height?: number;
  /** A bar was clicked, or the part of a series in it. */
  onPick?: (from: number, to: number, label: string | undefined) => void;
  /** Some bars were marked with the pointer. */
  onBrush?: (from: number, to: number) => void;
};

const AXIS = 20;
const MOST_LABELS = 6;

/** Counts over time, one bar for each bucket, with what they are made of. What failed is hatched, so that it is not told by colour alone. */
export function StackedBars({ title, times, series, bucketSecs, height = 180, onPick, onBrush }: Props) {
  const [marked, setMarked] = useState<[number, number]>();
  const [hovered, setHovered] = useState<number>();
  const sums = useMemo(
    () => times.map((_, nth) => series.reduce((sum, { values }) => sum + (values[nth] ?? 0), 0)),
    [times, series],
  );
  const most = niceMost(Math.max(0, ...sums));
  const at = (nth: number) => times[nth] ?? 0;
  const indexOf = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(times.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * times.length)));
  };
  const release = (event: PointerEvent) => {
    if (!marked) return;
    const [first, last] = [Math.min(...marked), Math.max(...marked)];
    setMarked(undefined);
    if (first !== last && onBrush) return onBrush(at(first), at(last) + bucketSecs);
    const label = (event.target as Element).closest("[data-series]")?.getAttribute("data-series");
    if ((sums[first] ?? 0) > 0) onPick?.(at(first), at(first) + bucketSecs, label ?? undefined);
  };
  const isMarked = (nth: number) => marked !== undefined && nth >= Math.min(...marked) && nth <= Math.max(...marked);
  return (
    <ChartFrame
      title={title}
      times={times}
      series={series}
      height={height}
      note={onBrush && "Drag to zoom, click to open"}
    >
      <div className="flex gap-2 pt-2" style={{ height }}>
        <ol
          aria-hidden="true"
          className="flex w-9 flex-none flex-col justify-between text-right text-[11px] text-ink-3"
          style={{ paddingBottom: AXIS - 8, marginTop: -8 }}
        >
          {[1, 0.5, 0].map((share) => (
            <li key={share}>{formatShort(most * share)}</li>
          ))}
        </ol>
        <div className="relative min-w-0 flex-1">
          <div className="absolute inset-x-0 top-0 border-t" />
          <div className="absolute inset-x-0 border-t" style={{ top: (height - AXIS - 8) / 2 }} />
          <div
            className={cx("relative flex touch-pan-y items-end border-b", onPick && "cursor-pointer")}
            style={{ height: height - AXIS - 8 }}
            onPointerDown={(event) => setMarked([indexOf(event), indexOf(event)])}
            onPointerMove={(event) => {
              setHovered(indexOf(event));
              if (marked && event.buttons === 1) setMarked([marked[0], indexOf(event)]);
            }}
            onPointerUp={release}
            onPointerLeave={() => {
              setHovered(undefined);
              setMarked(undefined);
            }}
          >
            {times.map((time, nth) => (
              <div
                key={time}
                className={cx(
                  "flex h-full min-w-0 flex-1 flex-col-reverse px-px",
                  (isMarked(nth) || hovered === nth) && "bg-hover",
                )}
              >
                {series.map(({ label, values, family }) => (
                  <Part
                    key={label}
                    label={label}
                    part={(values[nth] ?? 0) / most}
                    isFailed={family === "failed"}
                    color={family ? FAMILY_COLOR[family] : "var(--color-accent)"}
                  />
                ))}
              </div>
            ))}
          </div>
          {hovered !== undefined && <BarTip nth={hovered} times={times} series={series} />}
          <TimeAxis times={times} />
        </div>
      </div>
    </ChartFrame>
  );
}

function Part({ label, part, isFailed, color }: { label: string; part: number; isFailed: boolean; color: string }) {
  if (part <= 0) return null;
  const hatched = {
    backgroundImage: `repeating-linear-gradient(-45deg, ${color} 0 3px, color-mix(in oklab, ${color} 55%, transparent) 3px 5px)`,
  };
  return (
    <div
      data-series={label}
      className="first:rounded-b-none last:rounded-t-[2px]"
      style={{ height: `max(${part * 100}%, 2px)`, ...(isFailed ? hatched : { backgroundColor: color }) }}
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
      <p className="whitespace-nowrap text-ink-2">
        {formatInstant((times[nth] ?? 0) * 1_000, zone).replace(/[,.]\d{3}/, "")}
      </p>
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
  const step = Math.max(1, Math.ceil(times.length / MOST_LABELS));
  const text = (time: number) =>
    new Date(time * 1_000).toLocaleString(undefined, {
      ...(span > 2 * 86_400
        ? { day: "numeric", month: "short" }
        : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
      ...(zone === "utc" && { timeZone: "UTC" }),
    });
  return (
    <div aria-hidden="true" className="relative text-[11px] text-ink-3" style={{ height: AXIS }}>
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

/** A round number not below it, so that half of it is round too. */
function niceMost(value: number): number {
  if (value <= 4) return value <= 2 ? 2 : 4;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((step) => step * power >= value) ?? 10) * power;
}
