import { useVirtualizer } from "@tanstack/react-virtual";
import { type MouseEvent, type ReactNode, useCallback, useEffect, useMemo, useRef } from "react";
import { cx } from "./class-names.ts";
import { useSettings } from "./settings.ts";
import { Skeleton } from "./skeleton.tsx";
import type { Column } from "./table-columns.tsx";
import { TableRow } from "./table-row.tsx";
import { NARROW, useMedia } from "./use-media.ts";
import { useRowKeys } from "./use-row-keys.ts";
import { useShortcut } from "./use-shortcut.ts";

export type TableProps<Row> = {
  /** What is listed, for the ear: "Runs". */
  label: string;
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  columns: Column<Row>[];
  onOpen?: (row: Row) => void;
  onPeek?: (row: Row) => void;
  /** The row whose panel is open. */
  current?: string | undefined;
  /** Without it rows cannot be selected. */
  selection?: ReadonlySet<string>;
  onSelect?: (selection: ReadonlySet<string>) => void;
  onReachEnd?: (() => void) | undefined;
  isLoadingMore?: boolean;
  /** In place of rows when there are none. */
  empty: ReactNode;
};

const HEIGHTS = { compact: 30, normal: 36, comfortable: 44 };
const NARROW_HEIGHT = 60;
const SKELETONS = 12;

/** Rows by the thousand: only those in sight are in the document. The head stays, the focus stays with its row. */
export function Table<Row>(props: TableProps<Row>) {
  const {
    label,
    rows,
    rowKey,
    columns,
    onOpen,
    onPeek,
    current,
    selection,
    onSelect,
    onReachEnd,
    isLoadingMore,
    empty,
  } = props;
  const isNarrow = useMedia(NARROW);
  const { density } = useSettings();
  const height = isNarrow ? NARROW_HEIGHT : HEIGHTS[density];
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was measured is old when the height changes
  useEffect(() => virtual.measure(), [virtual, height]);

  const keys = useMemo(() => rows?.map(rowKey) ?? [], [rows, rowKey]);
  const byKey = useCallback((key: string) => rows?.[keys.indexOf(key)], [rows, keys]);
  const withRow = (run: ((row: Row) => void) | undefined) => (key: string) => {
    const row = byKey(key);
    if (row !== undefined) run?.(row);
  };
  const toggle = useSelection(keys, selection, onSelect);
  const reach = useCallback(
    (place: number) => {
      virtual.scrollToIndex(place);
      requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-place="${place}"]`)?.focus());
    },
    [virtual],
  );
  const { active, setActive, move, onKeyDown } = useRowKeys({
    keys,
    onOpen: withRow(onOpen ?? onPeek),
    onPeek: withRow(onPeek),
    onSelect: (key) => toggle(key, false),
    reach,
  });
  useShortcut("j", () => move("j"));
  useShortcut("k", () => move("k"));

  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows && lastShown >= rows.length - 20) onReachEnd?.();
  }, [rows, lastShown, onReachEnd]);

  const template = `${selection ? "36px " : ""}${columns.map(({ width }) => width).join(" ")}`;
  return (
    <div ref={scroller} className="relative min-h-0 flex-1 overflow-auto [overflow-anchor:none]">
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={rows ? rows.length + 1 : -1}
        aria-busy={rows === undefined}
        aria-multiselectable={selection ? true : undefined}
        className={cx(!isNarrow && "min-w-max")}
      >
        {!isNarrow && (
          <TableHead columns={columns} template={template} keys={keys} selection={selection} onSelect={onSelect} />
        )}
        {rows === undefined && <SkeletonRows height={height} />}
        {rows && rows.length > 0 && (
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }} onKeyDown={onKeyDown}>
            {items.map(({ index, start }) => {
              const row = rows[index] as Row;
              const key = keys[index] ?? "";
              return (
                <TableRow
                  key={key}
                  row={row}
                  place={index}
                  top={start}
                  height={height}
                  columns={columns}
                  template={template}
                  isNarrow={isNarrow}
                  isActive={key === active}
                  isCurrent={key === current}
                  isSelected={selection?.has(key)}
                  onFocus={() => setActive(key)}
                  onClick={() => (onPeek ?? onOpen)?.(row)}
                  onToggle={(event: MouseEvent) => toggle(key, event.shiftKey)}
                />
              );
            })}
          </div>
        )}
      </div>
      {rows?.length === 0 && empty}
      {isLoadingMore && <p className="px-4 py-3 text-ink-3 text-xs">Loading more…</p>}
    </div>
  );
}

type HeadProps<Row> = {
  columns: Column<Row>[];
  template: string;
  keys: string[];
  selection: ReadonlySet<string> | undefined;
  onSelect: ((selection: ReadonlySet<string>) => void) | undefined;
};

function TableHead<Row>({ columns, template, keys, selection, onSelect }: HeadProps<Row>) {
  const isAll = keys.length > 0 && keys.every((key) => selection?.has(key));
  return (
    <div role="rowgroup" className="sticky top-0 z-10 bg-bg">
      <div
        role="row"
        className="grid h-9 items-center border-b px-3 text-ink-2 text-xs font-medium"
        style={{ gridTemplateColumns: template }}
      >
        {selection && (
          <div role="columnheader" className="flex items-center">
            <input
              type="checkbox"
              aria-label="Select all loaded"
              className="size-3.5 accent-accent"
              checked={isAll}
              ref={(box) => {
                if (box) box.indeterminate = !isAll && selection.size > 0;
              }}
              onChange={() => onSelect?.(isAll ? new Set() : new Set(keys))}
            />
          </div>
        )}
        {columns.map(({ id, header, align }) => (
          <div key={id} role="columnheader" className={cx("truncate pr-4", align === "end" && "text-right")}>
            {header}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Selects one row, or with shift all from the last one that was selected. */
function useSelection(
  keys: string[],
  selection: ReadonlySet<string> | undefined,
  onSelect: ((selection: ReadonlySet<string>) => void) | undefined,
) {
  const last = useRef<string>(undefined);
  return (key: string, isRange: boolean) => {
    if (!selection) return;
    const next = new Set(selection);
    const [from, to] = [keys.indexOf(last.current ?? key), keys.indexOf(key)].sort((a, b) => a - b);
    const range = isRange && from !== undefined && from >= 0 && to !== undefined ? keys.slice(from, to + 1) : [key];
    const isAdding = !next.has(key);
    for (const each of range) isAdding ? next.add(each) : next.delete(each);
    last.current = key;
    onSelect?.(next);
  };
}

function SkeletonRows({ height }: { height: number }) {
  return (
    <div role="rowgroup">
      {Array.from({ length: SKELETONS }, (_, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all alike
        <div key={nth} role="row" className="flex items-center border-b px-3" style={{ height }}>
          <div role="gridcell" className="flex w-full items-center gap-6">
            <Skeleton className="h-3.5 w-24" />
            <Skeleton className="h-3.5 w-40" />
            <Skeleton className="h-3.5 flex-1" />
            <Skeleton className="h-3.5 w-16" />
          </div>
        </div>
      ))}
    </div>
  );
}
