import { useMemo } from "react";
import { cx } from "../class-names.ts";
import { formatDuration } from "../format.ts";
import { StatusMark } from "../state/status-mark.tsx";
import { FAMILY_FILL, lookOf } from "../state/statuses.ts";
import { useNow } from "../use-now.ts";
import { type Scale, scaleOf } from "./waterfall-scale.ts";

export type WaterfallBar = {
  id: string;
  label: string;
  status: string;
  start: string;
  /** Null: not finished. */
  end: string | null;
  /** Queue, backoff, waits and sleeps: drawn thin, and collapsed when long. */
  isIdle?: boolean;
};

const NAMES = "w-[clamp(96px,28%,220px)] flex-none";

/** A small timeline for previews. Long idle time is collapsed, so that the work stays visible. */
export function Waterfall({ bars }: { bars: WaterfallBar[] }) {
  const now = useNow();
  const isOpen = bars.some(({ end }) => end === null);
  const upTo = isOpen ? now : 0;
  const placed = useMemo(
    () => bars.map((bar) => ({ ...bar, from: Date.parse(bar.start), to: endOf(bar, upTo) })),
    [bars, upTo],
  );
  const scale = useMemo(
    () => scaleOf(placed.map(({ from, to, isIdle }) => ({ start: from, end: to, isIdle: isIdle ?? false }))),
    [placed],
  );
  return (
    <div className="flex flex-col">
      <ul aria-label="Timeline">
        {placed.map((bar) => (
          <li key={bar.id}>
            <Row bar={bar} scale={scale} />
          </li>
        ))}
      </ul>
      {scale.breaks.length > 0 && (
        <p className="mt-1 flex justify-end gap-2 px-1 text-ink-3 text-xs">
          Collapsed: {scale.breaks.map(({ ms }) => formatDuration(ms)).join(", ")}
        </p>
      )}
    </div>
  );
}

type Placed = WaterfallBar & { from: number; to: number };

function Row({ bar, scale }: { bar: Placed; scale: Scale }) {
  return (
    <div className="flex h-7 w-full items-center gap-2 px-1">
      <span className={cx(NAMES, "flex items-center gap-1.5")}>
        <StatusMark status={bar.status} as="mark" />
        <span className="truncate text-xs">{bar.label}</span>
      </span>
      <span className="relative h-full min-w-0 flex-1">
        <Track bar={bar} scale={scale} />
      </span>
      <span className="w-16 flex-none text-right font-mono text-ink-2 text-xs">
        {formatDuration(bar.to - bar.from)}
      </span>
    </div>
  );
}

const inPercent = (share: number) => `${share * 100}%`;

/** Collapsed gaps and the bar. */
function Track({ bar, scale }: { bar: Placed; scale: Scale }) {
  const width = inPercent(scale.place(bar.to) - scale.place(bar.from));
  return (
    <>
      {scale.breaks.map(({ from, to }) => (
        <span
          key={from}
          className="hatch absolute inset-y-0"
          style={{ left: inPercent(from), width: inPercent(to - from) }}
        />
      ))}
      <span
        data-bar=""
        className={cx(
          "absolute rounded-xs",
          bar.isIdle ? "top-[12px] h-1" : "top-[8px] h-3",
          FAMILY_FILL[lookOf(bar.status).family],
        )}
        style={{ left: inPercent(scale.place(bar.from)), width: `max(2px, ${width})` }}
      />
    </>
  );
}

function endOf({ start, end }: WaterfallBar, now: number): number {
  return Math.max(Date.parse(start), end === null ? now : Date.parse(end));
}
