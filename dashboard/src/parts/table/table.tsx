import { useEffect, useMemo, useState } from "react";
import { cx } from "../class-names.ts";
import { useSettings } from "../settings.ts";
import { Skeleton } from "../state/skeleton.tsx";
import { STALE } from "../state/stale.ts";
import { NARROW, useMedia } from "../use-media.ts";
import { TableBody } from "./table-body.tsx";
import type { Column } from "./table-columns.tsx";
import type { TableProps } from "./table-props.ts";
import { AFTER_NUMBER_PX, BOXES, minWidth, useFittingColumns } from "./use-fitting-columns.ts";

const HEIGHTS = { compact: 30, normal: 36, comfortable: 44 };
const NARROW_HEIGHT = 60;
const SKELETONS = 12;

/** Virtualized table for thousands of rows with a sticky header. The focus stays on its row. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, rows, isStale = false, rowKey, selection, onSelect, onReachEnd, isLoadingMore, empty } = props;
  const isNarrow = useMedia(NARROW);
  const { density } = useSettings();
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const columns = useFittingColumns(props.columns, isNarrow ? null : scroller, selection !== undefined);
  const keys = useMemo(() => rows?.map(rowKey) ?? [], [rows, rowKey]);
  const height = isNarrow ? NARROW_HEIGHT : HEIGHTS[density];
  const template = `${selection ? `${BOXES}px ` : ""}${columns.map(widthOf).join(" ")}`;
  const least = minWidth(columns) + (selection ? BOXES : 0);
  const isShort = rows !== undefined && rows.length === 0;
  useEffect(() => {
    if (isShort) onReachEnd?.(); // a loaded page may have no visible rows, so load the next
  }, [isShort, onReachEnd]);
  return (
    <div ref={setScroller} className="relative min-h-0 flex-1 overflow-auto [overflow-anchor:none]">
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={rows ? rows.length + 1 : -1}
        aria-busy={rows === undefined || isStale}
        aria-multiselectable={selection ? true : undefined}
        className={cx(isStale && STALE)}
        style={isNarrow ? undefined : { minWidth: `calc(${least}px + 2 * var(--gutter))` }}
      >
        {!isNarrow && <TableHead {...{ columns, template, keys, selection, onSelect }} />}
        {rows === undefined && <SkeletonRows height={height} />}
        {scroller && rows && rows.length > 0 && (
          <TableBody {...props} {...{ rows, keys, columns, height, template, isNarrow, scroller }} />
        )}
      </div>
      {isShort && empty}
      {isLoadingMore && <p className="px-4 py-3 text-ink-3 text-xs">Loading more…</p>}
    </div>
  );
}

/** Text after a number column needs more space (see style.css). */
function widthOf<Row>({ width, align }: Column<Row>, nth: number, columns: Column<Row>[]): string {
  const isAfterNumber = align !== "end" && columns[nth - 1]?.align === "end";
  return isAfterNumber && width.endsWith("px") ? `calc(${width} + ${AFTER_NUMBER_PX}px)` : width;
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
        className="grid h-9 items-center border-b px-(--gutter) text-ink-2 text-xs font-medium"
        style={{ gridTemplateColumns: template }}
      >
        {selection && (
          <div role="columnheader" className="flex items-center">
            <input
              type="checkbox"
              aria-label="Select all loaded rows"
              className="size-3.5"
              checked={isAll}
              disabled={keys.length === 0}
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

/** Placeholder rows, hidden from assistive technology; the grid is marked as busy. */
function SkeletonRows({ height }: { height: number }) {
  return (
    <div aria-hidden="true">
      {Array.from({ length: SKELETONS }, (_, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical
        <div key={nth} className="flex items-center gap-6 border-b px-(--gutter)" style={{ height }}>
          <Skeleton className="h-3.5 w-24" />
          <Skeleton className="h-3.5 w-40" />
          <Skeleton className="h-3.5 flex-1" />
          <Skeleton className="h-3.5 w-16" />
        </div>
      ))}
    </div>
  );
}
