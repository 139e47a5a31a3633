import { type Scale, type Span, scaleOf } from "../chart/waterfall-scale.ts";
import type { TraceTree } from "./trace-rows.ts";
import type { TraceItem, TraceWindow } from "./trace-types.ts";

/**
 * The scale of a trace. A span with children counts as busy only while they are: a run that waited for
 * a month is mostly idle.
 */
export function traceScale(items: readonly TraceItem[], tree: TraceTree, now: number): Scale {
  const spans: Span[] = items.flatMap((item) => {
    if (item.isMoment) return [];
    const hasSpans = CONTAINERS.has(item.kind) && tree.childrenOf(item.id).some(({ isMoment }) => !isMoment);
    return [{ start: item.from, end: endOf(item, now), isIdle: item.isIdle || hasSpans }];
  });
  return scaleOf(spans);
}

const CONTAINERS: ReadonlySet<string> = new Set(["run", "workflow_run", "workflow_step", "map_item", "compensation"]);

export function endOf({ from, to }: TraceItem, now: number): number {
  return Math.max(from, to ?? now);
}

export type Tick = { at: number; ms: number };

const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1_440, 4_320, 10_080, 43_200].map((minutes) => minutes * 60_000),
];
const MAX_TICKS = 6;
/** Room for the longest usual label, such as "500 ms" or "1m 30s". */
const LABEL_PX = 64;

/** Round times since the start, as shares of the visible width, each with room for its label. None in collapsed time. */
export function ticksOf(scale: Scale, window: TraceWindow, widthPx: number): Tick[] {
  const room = Math.max(1 / (MAX_TICKS + 1), LABEL_PX / Math.max(1, widthPx));
  const start = scale.parts[0]?.from ?? 0;
  const width = window.to - window.from;
  const shown = scale.parts.filter(({ left, width: w }) => left < window.to && left + w > window.from);
  const perShare = Math.max(...shown.map((part) => (part.isFolded || part.width === 0 ? 0 : part.ms / part.width)), 0);
  const label = LABEL_PX / Math.max(1, widthPx);
  const step = STEPS.find((ms) => ms >= perShare * width * room) ?? STEPS.at(-1) ?? 1;
  const ticks: Tick[] = [];
  for (const part of shown) {
    if (part.isFolded) continue;
    const from = Math.max(part.from, scale.timeAt(window.from));
    const to = Math.min(part.to, scale.timeAt(window.to));
    for (let ms = Math.ceil((from - start) / step) * step; ms <= to - start; ms += step) {
      const at = (scale.place(start + ms) - window.from) / width;
      const isClear = scale.breaks.every((gap) => {
        const left = (gap.from - window.from) / width;
        return at <= left - label || at >= left;
      });
      if (at >= 0 && at <= 1 - label && isClear && at - (ticks.at(-1)?.at ?? -1) >= label) ticks.push({ at, ms });
    }
  }
  return ticks;
}
