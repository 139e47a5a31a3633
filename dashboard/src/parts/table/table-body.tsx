import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { useShortcut } from "../overlay/use-shortcut.ts";
import { useLatest } from "../use-latest.ts";
import type { TableProps } from "./table-props.ts";
import { type RowActs, TableRow } from "./table-row.tsx";
import { useFocusRow } from "./use-focus-row.ts";
import { useRenderedRange } from "./use-rendered-range.ts";
import { useRowKeys } from "./use-row-keys.ts";
import { useSelection } from "./use-selection.ts";

type Props<Row> = TableProps<Row> & {
  rows: readonly Row[];
  keys: string[];
  height: number;
  template: string;
  isNarrow: boolean;
  scroller: HTMLElement;
};

/** Fewer rows than the first page has below the fold, so that nothing loads without scrolling. */
const NEAR_END = 16;

/** The visible rows. A row renders again only when it changes. */
export function TableBody<Row>(props: Props<Row>) {
  const { rows, keys, columns, template, isNarrow, height, current, selection } = props;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => props.scroller,
    estimateSize: () => height,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: remeasure when the height changes
  useEffect(() => virtual.measure(), [virtual, height]);
  const body = useRef<HTMLDivElement>(null);
  const reach = useFocusRow(props.scroller, body, height);
  const { acts, active, onKeyDown } = useRowActs(props, reach);
  const visible = virtual.calculateRange();
  const [first, last] = useRenderedRange(visible, rows.length);
  useReachEnd(rows.length, visible?.endIndex ?? 0, props.onReachEnd);
  return (
    // biome-ignore lint/a11y/useSemanticElements: absolutely positioned rows cannot be table rows
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

/** Click and key handlers of rows. `acts` is stable between renders. */
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

/** Loads more before the last rows are reached. */
function useReachEnd(count: number, lastShown: number, onReachEnd: (() => void) | undefined): void {
  const isNear = lastShown >= count - NEAR_END;
  // biome-ignore lint/correctness/useExhaustiveDependencies: check again when rows are added
  useEffect(() => {
    if (isNear) onReachEnd?.();
  }, [isNear, count, onReachEnd]);
}
