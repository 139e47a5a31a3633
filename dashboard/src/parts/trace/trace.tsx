import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { formatCount } from "../format.ts";
import { useLatest } from "../use-latest.ts";
import { useNow } from "../use-now.ts";
import { TraceAxis } from "./trace-axis.tsx";
import { traceKeys } from "./trace-keys.ts";
import { TraceMinimap } from "./trace-minimap.tsx";
import { TraceRow } from "./trace-row.tsx";
import type { TraceRow as Row } from "./trace-rows.ts";
import { traceScale } from "./trace-scale.ts";
import { TraceToolbar } from "./trace-toolbar.tsx";
import { shifted, type TraceItem, WHOLE, zoomed } from "./trace-types.ts";
import { useTraceRows } from "./use-trace-rows.ts";
import { useTraceZoom } from "./use-trace-zoom.ts";

type Props = {
  items: readonly TraceItem[];
  selected: string | undefined;
  onSelect: (id: string) => void;
  /** A lazy span was expanded: its children are to be loaded. */
  onLoad: (item: TraceItem) => void;
  className?: string;
};

const HEIGHT = 28;

/** One waterfall of everything that happened: a tree of spans over a common axis. Only visible rows are rendered. */
export function Trace({ items, selected, onSelect, onLoad, className = "max-h-[min(560px,64vh)]" }: Props) {
  const { tree, rows, matches, toggle, toolbar } = useTraceRows(items, onLoad);
  const now = useNowOf(items);
  const scale = useMemo(() => traceScale(items, tree, now), [items, tree, now]);
  const frame = useRef<HTMLDivElement>(null);
  const { window, setWindow } = useTraceZoom(frame);
  const { scroller, virtual, current, reach, select } = useTraceList(rows, onSelect);
  const zoom = (factor: number) => {
    const at = scale.place(tree.byId.get(current)?.from ?? 0);
    const isShown = at > window.from && at < window.to;
    setWindow(zoomed(window, factor, isShown ? at : (window.from + window.to) / 2));
  };
  const keys = traceKeys({
    rows,
    current,
    onCurrent: reach,
    onSelect: select,
    onToggle: toggle,
    onZoom: zoom,
    onWhole: () => setWindow(WHOLE),
    onShift: (share) => setWindow(shifted(window, share * (window.to - window.from))),
  });
  return (
    <div ref={frame} className="flex min-h-0 flex-col gap-2">
      <TraceToolbar {...toolbar} matches={matches?.size} onZoom={zoom} onWhole={() => setWindow(WHOLE)} />
      <TraceMinimap rows={rows} scale={scale} now={now} window={window} onWindow={setWindow} />
      <div className="card flex min-h-0 flex-col overflow-hidden p-1">
        <TraceAxis scale={scale} window={window} spans={countWords(items)} />
        <div ref={scroller} className={`min-h-0 overflow-y-auto overflow-x-hidden ${className}`}>
          <div
            role="tree"
            aria-label="Trace"
            onKeyDown={keys}
            className="relative"
            style={{ height: virtual.getTotalSize() }}
          >
            {virtual.getVirtualItems().map(({ index, start }) => {
              const row = rows[index];
              return row ? (
                <TraceRow
                  key={row.item.id}
                  {...{ row, scale, window, onSelect: select, onToggle: toggle }}
                  top={start}
                  height={HEIGHT}
                  now={row.item.to === null ? now : 0}
                  isCurrent={row.item.id === current}
                  isSelected={row.item.id === selected}
                  isMatch={matches?.has(row.item.id) ?? false}
                />
              ) : null;
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** The virtual list, and the row that keys act on. */
function useTraceList(rows: readonly Row[], onSelect: Props["onSelect"]) {
  const [chosen, setChosen] = useState<string>();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 12,
    initialRect: { width: 800, height: 480 },
  });
  const focus = useFocusAfter(scroller);
  const latest = useLatest(onSelect);
  const [select] = useState(() => (id: string) => {
    setChosen(id);
    latest.current(id);
  });
  const reach = (id: string) => {
    setChosen(id);
    virtual.scrollToIndex(rows.findIndex(({ item }) => item.id === id));
    focus(id);
  };
  // A row that was hidden meanwhile would leave the tree without a tab stop.
  const isShown = chosen !== undefined && rows.some(({ item }) => item.id === chosen);
  const current = (isShown ? chosen : rows[0]?.item.id) ?? "";
  return { scroller, virtual, current, reach, select };
}

/** The current time while something is open. */
function useNowOf(items: readonly TraceItem[]): number {
  const now = useNow();
  const last = useMemo(
    () => items.reduce((latest, { from, to }) => Math.max(latest, to ?? Number.POSITIVE_INFINITY, from), 0),
    [items],
  );
  return Number.isFinite(last) ? last : now;
}

/** Focuses a row once it is rendered. */
function useFocusAfter(scroller: { current: HTMLElement | null }) {
  const wanted = useRef<string>(undefined);
  const [, setRound] = useState(0);
  useEffect(() => {
    if (wanted.current === undefined) return;
    const node = scroller.current?.querySelector<HTMLElement>(`[data-span="${CSS.escape(wanted.current)}"]`);
    if (!node) return;
    node.focus({ preventScroll: true });
    wanted.current = undefined;
  });
  return (id: string) => {
    wanted.current = id;
    setRound((before) => before + 1);
  };
}

function countWords(items: readonly TraceItem[]): string {
  return items.length === 1 ? "1 span" : `${formatCount(items.length)} spans`;
}
