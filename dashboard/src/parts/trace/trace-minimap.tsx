import { type PointerEvent, useMemo, useRef, useState } from "react";
import type { Scale } from "../chart/waterfall-scale.ts";
import { FAMILY_COLOR, lookOf, type StatusFamily } from "../state/statuses.ts";
import type { TraceRow } from "./trace-rows.ts";
import { endOf } from "./trace-scale.ts";
import { shifted, type TraceWindow, WHOLE } from "./trace-types.ts";

type Props = {
  rows: readonly TraceRow[];
  scale: Scale;
  now: number;
  window: TraceWindow;
  onWindow: (window: TraceWindow) => void;
};

const [WIDTH, HEIGHT, MAX_DRAWN] = [1_000, 36, 1_500];
const CLICK = 0.005;

/** The whole trace. Dragging selects the visible part; dragging inside it moves it; a double click shows all. */
export function TraceMinimap({ rows, scale, now, window, onWindow }: Props) {
  const paths = useMemo(() => pathsOf(rows, scale, now), [rows, scale, now]);
  const drag = useDrag(window, onWindow);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a second way for the pointer; zooming has keys and buttons
    <div
      aria-hidden="true"
      title="Drag to zoom, double-click to show all"
      className="relative cursor-crosshair touch-none overflow-hidden rounded-sm border bg-surface"
      style={{ height: HEIGHT + 2 }}
      onDoubleClick={() => onWindow(WHOLE)}
      {...drag}
    >
      <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className="block size-full">
        {paths.map(([family, path]) => (
          <path key={family} d={path} stroke={FAMILY_COLOR[family]} strokeWidth={2} fill="none" />
        ))}
      </svg>
      <span className="absolute inset-y-0 left-0 bg-bg/70" style={{ width: `${window.from * 100}%` }} />
      <span className="absolute inset-y-0 right-0 bg-bg/70" style={{ width: `${(1 - window.to) * 100}%` }} />
      {(window.from > 0 || window.to < 1) && (
        <span
          className="absolute inset-y-0 border-accent border-x-2"
          style={{ left: `${window.from * 100}%`, width: `${(window.to - window.from) * 100}%` }}
        />
      )}
    </div>
  );
}

/** One path for each color. Of very many spans only some are drawn. */
function pathsOf(rows: readonly TraceRow[], scale: Scale, now: number): [StatusFamily, string][] {
  const spans = rows.filter(({ item }) => !item.isMoment);
  const every = Math.ceil(spans.length / MAX_DRAWN);
  const paths = new Map<StatusFamily, string>();
  for (let nth = 0; nth < spans.length; nth += every) {
    const { item } = spans[nth] as TraceRow;
    const from = scale.place(item.from) * WIDTH;
    const width = Math.max(1, scale.place(endOf(item, now)) * WIDTH - from);
    const top = 2 + ((nth + 0.5) / spans.length) * (HEIGHT - 4);
    const { family } = lookOf(item.status);
    paths.set(family, `${paths.get(family) ?? ""}M${from.toFixed(1)} ${top.toFixed(1)}h${width.toFixed(1)}`);
  }
  return [...paths];
}

function useDrag(window: TraceWindow, onWindow: Props["onWindow"]) {
  const start = useRef<{ at: number; window: TraceWindow; isMove: boolean }>(undefined);
  const [isDragging, setDragging] = useState(false);
  const shareOf = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      const at = shareOf(event);
      const isZoomed = window.to - window.from < 1;
      start.current = { at, window, isMove: isZoomed && at >= window.from && at <= window.to };
      event.currentTarget.setPointerCapture(event.pointerId);
      setDragging(true);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const from = start.current;
      if (!isDragging || !from) return;
      const at = shareOf(event);
      if (from.isMove) onWindow(shifted(from.window, at - from.at));
      else if (Math.abs(at - from.at) > CLICK) onWindow({ from: Math.min(at, from.at), to: Math.max(at, from.at) });
    },
    onPointerUp: () => setDragging(false),
    onPointerCancel: () => setDragging(false),
  };
}
