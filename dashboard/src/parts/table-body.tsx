import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import type { TableProps } from "./table-props.ts";
import { type RowActs, TableRow } from "./table-row.tsx";
import { useDrawnPlaces } from "./use-drawn-places.ts";
import { useLatest } from "./use-latest.ts";
import { useReach } from "./use-reach.ts";
import { useRowKeys } from "./use-row-keys.ts";
import { useSelection } from "./use-selection.ts";
import { useShortcut } from "./use-shortcut.ts";

type Props<Row> = TableProps<Row> & {
  rows: readonly Row[];
  keys: string[];
  height: number;
  template: string;
  isNarrow: boolean;
  scroller: HTMLElement;
};

/** Less than what is left of a first page below the fold: nobody scrolls, nothing is loaded. */
const NEAR_END = 16;

/** The rows in sight. A row is drawn again only when something of it has changed. */
export function TableBody<Row>(props: Props<Row>) {
  const { rows, keys, columns, template, isNarrow, height, current, selection } = props;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => props.scroller,
    estimateSize: () => height,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was measured is old when the height changes
  useEffect(() => virtual.measure(), [virtual, height]);
  const body = useRef<HTMLDivElement>(null);
  const reach = useReach(props.scroller, body, height);
  const { acts, active, onKeyDown } = useRowActs(props, reach);
  const inSight = virtual.calculateRange();
  const [first, last] = useDrawnPlaces(inSight, rows.length);
  useReachEnd(rows.length, inSight?.endIndex ?? 0, props.onReachEnd);
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows that lie where they are put are no rows of a table element
    <div
      ref={body}
      role="rowgroup"
      className="relative"
      style={{ height: virtual.getTotalSize() }}
      onKeyDown={onKeyDown}
    >
      {rows.slice(first, last + 1).map((row, nth) => {
        const place = first + nth;
        const key = keys[place] ?? "";
        return (
          <TableRow
            key={key}
            name={key}
            row={row}
            place={place}
            top={place * height}
            isActive={key === active}
            isCurrent={key === current}
            isSelected={selection?.has(key)}
            {...{ height, columns, template, isNarrow, acts }}
          />
        );
      })}
    </div>
  );
}

/** What rows do when they are clicked or have keys pressed on them. `acts` is the same thing each time. */
function useRowActs<Row>(props: Props<Row>, reach: (place: number) => void) {
  const { rows, keys, selection, onSelect, onOpen, onPeek } = props;
  const on = (run: ((row: Row) => void) | undefined) => (key: string) => {
    const row = rows[keys.indexOf(key)];
    if (row !== undefined) run?.(row);
  };
  const toggle = useSelection(keys, selection, onSelect);
  const latest = useLatest({ toggle, click: on(onPeek ?? onOpen) });
  const { active, setActive, move, onKeyDown } = useRowKeys({
    keys,
    onOpen: on(onOpen ?? onPeek),
    onPeek: on(onPeek),
    onSelect: (key) => toggle(key, false),
    reach,
  });
  useShortcut("j", () => move("j"));
  useShortcut("k", () => move("k"));
  const acts = useMemo<RowActs>(
    () => ({
      focus: setActive,
      click: (key) => latest.current.click(key),
      toggle: (key, isRange) => latest.current.toggle(key, isRange),
    }),
    [setActive, latest],
  );
  return { acts, active, onKeyDown };
}

/** Asks for more while there are still some rows to go. */
function useReachEnd(count: number, lastShown: number, onReachEnd: (() => void) | undefined): void {
  const isNear = lastShown >= count - NEAR_END;
  // biome-ignore lint/correctness/useExhaustiveDependencies: near the end of more rows is another end
  useEffect(() => {
    if (isNear) onReachEnd?.();
  }, [isNear, count, onReachEnd]);
}
