import type { MouseEvent } from "react";
import { cx } from "./class-names.ts";
import type { Column } from "./table-columns.tsx";

type Props<Row> = {
  row: Row;
  place: number;
  top: number;
  height: number;
  columns: Column<Row>[];
  template: string;
  isNarrow: boolean;
  isActive: boolean;
  isCurrent: boolean;
  /** Undefined: rows cannot be selected. */
  isSelected: boolean | undefined;
  onFocus: () => void;
  onClick: () => void;
  onToggle: (event: MouseEvent) => void;
};

export function TableRow<Row>(props: Props<Row>) {
  const { place, top, height, template, isNarrow, isActive, isCurrent, isSelected, onFocus, onClick } = props;
  return (
    <div
      role="row"
      aria-rowindex={place + 2}
      aria-selected={isSelected}
      data-place={place}
      tabIndex={isActive ? 0 : -1}
      onFocus={onFocus}
      onClick={onClick}
      className={cx(
        "absolute inset-x-0 cursor-pointer border-b px-3 -outline-offset-2",
        isNarrow ? "flex flex-col justify-center gap-1" : "grid items-center",
        isSelected || isCurrent ? "bg-selected" : "bg-bg hover:bg-surface",
      )}
      style={{ top: 0, height, transform: `translateY(${top}px)`, ...(!isNarrow && { gridTemplateColumns: template }) }}
    >
      {isNarrow ? <NarrowCells {...props} /> : <WideCells {...props} />}
    </div>
  );
}

function WideCells<Row>({ row, columns, isSelected, onToggle }: Props<Row>) {
  return (
    <>
      {isSelected !== undefined && (
        <div role="gridcell" className="flex h-full items-center" onClick={(event) => event.stopPropagation()}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label="Select row"
            className="size-3.5 accent-accent"
            checked={isSelected}
            onClick={onToggle}
            onChange={() => {}}
          />
        </div>
      )}
      {columns.map(({ id, cell, align }) => (
        <div key={id} role="gridcell" className={cx("min-w-0 truncate pr-4", align === "end" && "text-right")}>
          {cell(row)}
        </div>
      ))}
    </>
  );
}

/** Two lines in place of columns. */
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
          <span key={id} className="min-w-0 flex-none truncate">
            {cell(row)}
          </span>
        ))}
      </div>
    </>
  );
}
