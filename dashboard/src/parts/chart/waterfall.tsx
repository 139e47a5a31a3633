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
  depth?: number;
  /** Marked moments as diamonds: checkpoints. */
  marks?: { at: string; label: string }[];
  /** Many moments as small ticks: log lines. */
  ticks?: WaterfallTick[];
};

export type WaterfallTick = { at: string; label: string; tone?: "warn" | "bad" | undefined };

type Props = { bars: WaterfallBar[]; selected?: string | undefined; onSelect?: (id: string) => void };

const NAMES = "w-[clamp(96px,28%,220px)] flex-none";

/** Timeline. Long idle time is collapsed, so that the work stays visible. */
export function Waterfall({ bars, selected, onSelect }: Props) {
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
            <Row bar={bar} scale={scale} isSelected={onSelect && bar.id === selected} onSelect={onSelect} />
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
type RowProps = { bar: Placed; scale: Scale; isSelected: boolean | undefined; onSelect: Props["onSelect"] };

function Row({ bar, scale, isSelected, onSelect }: RowProps) {
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => onSelect?.(bar.id)}
      className="flex h-7 w-full items-center gap-2 rounded-xs px-1 text-left hover:bg-hover aria-pressed:bg-selected"
    >
      <span className={cx(NAMES, "flex items-center gap-1.5")} style={{ paddingLeft: (bar.depth ?? 0) * 12 }}>
        <StatusMark status={bar.status} as="mark" />
        <span className="truncate text-xs">{bar.label}</span>
      </span>
      <span className="relative h-full min-w-0 flex-1">
        <Track bar={bar} scale={scale} />
      </span>
      <span className="w-16 flex-none text-right font-mono text-ink-2 text-xs">
        {formatDuration(bar.to - bar.from)}
      </span>
    </button>
  );
}

const inPercent = (share: number) => `${share * 100}%`;

/** Collapsed gaps, the bar, its ticks and diamonds. */
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
          bar.isIdle ? "top-[12px] h-1 opacity-50" : "top-[8px] h-3",
          FAMILY_FILL[lookOf(bar.status).family],
        )}
        style={{ left: inPercent(scale.place(bar.from)), width: `max(2px, ${width})` }}
      />
      {ticksOf(bar, scale).map(({ place, label, tone }) => (
        <span
          key={place}
          data-tick=""
          title={label}
          className={cx("absolute bottom-0.5 h-1.5 w-px", TICKS[tone ?? "plain"])}
          style={{ left: inPercent(place) }}
        />
      ))}
      {bar.marks?.map((mark) => (
        <span
          key={`${mark.at} ${mark.label}`}
          title={mark.label}
          className="absolute top-[10px] size-2 -translate-x-1 rotate-45 border border-bg bg-ink"
          style={{ left: inPercent(scale.place(Date.parse(mark.at))) }}
        />
      ))}
    </>
  );
}

const TICKS = { plain: "bg-ink-3", warn: "bg-retrying w-0.5", bad: "bg-failed w-0.5" };
const NEAR = 0.002; // share of the width: closer ticks are merged, the worst one wins

function ticksOf({ ticks = [], from, to }: Placed, { place }: Scale) {
  const merged = new Map<number, { place: number } & WaterfallTick>();
  for (const tick of ticks) {
    const at = Math.round(place(Math.min(to, Math.max(from, Date.parse(tick.at)))) / NEAR) * NEAR;
    const known = merged.get(at);
    if (!known || rank(tick) > rank(known)) merged.set(at, { ...tick, place: at });
  }
  return [...merged.values()];
}

function rank({ tone }: WaterfallTick): number {
  return tone === "bad" ? 2 : tone === "warn" ? 1 : 0;
}

function endOf({ start, end }: WaterfallBar, now: number): number {
  return Math.max(Date.parse(start), end === null ? now : Date.parse(end));
}
