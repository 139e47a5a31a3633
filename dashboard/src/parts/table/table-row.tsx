import { memo, useLayoutEffect, useRef } from "react";
import { cx } from "../class-names.ts";
import type { Column } from "./table-columns.tsx";

/** Row handlers, by row key. */
export type RowActs = {
  focus: (key: string) => void;
  click: (key: string) => void;
  /** Selects the range from the last selected row, or one row. */
  toggle: (key: string, isRange: boolean) => void;
};

type Props<Row> = {
  /** Row key. */
  name: string;
  row: Row;
  place: number;
  top: number;
  height: number;
  columns: Column<Row>[];
  template: string;
  isNarrow: boolean;
  isActive: boolean;
  isCurrent: boolean;
  /** Undefined: selection is disabled. */
  isSelected: boolean | undefined;
  acts: RowActs;
};

/** Memoized, so that changing one row or moving the focus renders no other row. */
export const TableRow = memo(DrawnRow) as typeof DrawnRow;

function DrawnRow<Row>(props: Props<Row>) {
  const { name, place, top, height, template, isNarrow, isActive, isCurrent, isSelected, acts } = props;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // One tab stop for the whole list: buttons of other rows are skipped.
    for (const button of element.current?.querySelectorAll("button") ?? []) button.tabIndex = isActive ? 0 : -1;
  });
  return (
    <div
      ref={element}
      role="row"
      aria-rowindex={place + 2}
      aria-selected={isSelected}
      data-place={place}
      tabIndex={isActive ? 0 : -1}
      onFocus={() => acts.focus(name)}
      onClick={() => acts.click(name)}
      className={cx(
        "absolute inset-x-0 cursor-pointer border-b contain-strict px-(--gutter) -outline-offset-2",
        isNarrow ? "flex flex-col justify-center gap-1" : "grid items-center",
        isSelected || isCurrent ? "bg-selected" : "bg-bg hover:bg-surface",
      )}
      style={{ top, height, ...(!isNarrow && { gridTemplateColumns: template }) }}
    >
      {isNarrow ? <NarrowCells {...props} /> : <WideCells {...props} />}
    </div>
  );
}

function WideCells<Row>({ name, row, columns, isSelected, acts }: Props<Row>) {
  return (
    <>
      {isSelected !== undefined && (
        <div role="gridcell" className="flex h-full items-center" onClick={(event) => event.stopPropagation()}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label="Select row"
            className="size-3.5"
            checked={isSelected}
            onClick={(event) => acts.toggle(name, event.shiftKey)}
            onChange={() => {}}
          />
        </div>
      )}
      {columns.map(({ id, cell, align }) => (
        <WideCell key={id} {...{ row, cell, align }} />
      ))}
    </>
  );
}

type CellProps<Row> = { row: Row; cell: Column<Row>["cell"]; align: Column<Row>["align"] };

/** Memoized, so that focus and column changes render no other cell. */
const WideCell = memo(DrawnCell) as typeof DrawnCell;

function DrawnCell<Row>({ row, cell, align }: CellProps<Row>) {
  return (
    <div role="gridcell" className={cx("min-w-0 truncate pr-4", align === "end" && "text-right")}>
      {cell(row)}
    </div>
  );
}

/** Two lines instead of columns. */
function NarrowCells<Row>({ row, columns }: Props<Row>) {
  const of = (place: Column<Row>["narrow"]) => columns.filter(({ narrow }) => narrow === place);
  return (
    <>
      <div role="gridcell" className="flex min-w-0 items-center gap-2">
        {of("title").map(({ id, cell }) => (
          <span key={id} className="min-w-0 flex-1 truncate">
            {cell(row)}
          </span>
        ))}
        {of("end").map(({ id, cell }) => (
          <span key={id} className="flex-none text-ink-2 text-xs">
            {cell(row)}
          </span>
        ))}
      </div>
      <div role="gridcell" className="flex min-w-0 items-center gap-3 overflow-hidden text-ink-2 text-xs">
        {of("meta").map(({ id, cell }) => (
          <span key={id} className="min-w-0 flex-none truncate last:flex-1">
            {cell(row)}
          </span>
        ))}
      </div>
    </>
  );
}
