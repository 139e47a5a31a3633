import { Columns3 } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../form/icon-button.tsx";
import { Menu } from "../overlay/menu.tsx";

export type Column<Row> = {
  id: string;
  header: string;
  /** CSS grid track: `120px`, `minmax(160px, 2fr)`. */
  width: string;
  cell: (row: Row) => ReactNode;
  align?: "start" | "end";
  /** Hidden by default. */
  isExtra?: boolean;
  /** Cannot be hidden. */
  isFixed?: boolean;
  /** Hidden on narrow screens, highest number first. */
  hidePriority?: number;
  /** Position on a phone: first line, end of the first line, second line, or hidden (default). */
  narrow?: "title" | "end" | "meta";
};

/** Columns in the URL (`cols=a,b`), or the default ones. */
export function pickColumns<Row>(columns: Column<Row>[], cols: string | undefined): Column<Row>[] {
  if (cols === undefined) return columns.filter(({ isExtra }) => !isExtra);
  const picked = new Set(cols.split(","));
  return columns.filter(({ id, isFixed }) => isFixed || picked.has(id)).map(({ hidePriority: _, ...column }) => column);
}

type PickerProps<Row> = {
  columns: Column<Row>[];
  cols: string | undefined;
  onChange: (cols: string | undefined) => void;
};

export function ColumnPicker<Row>({ columns, cols, onChange }: PickerProps<Row>) {
  const shown = new Set(pickColumns(columns, cols).map(({ id }) => id));
  const toggle = (id: string) => {
    const next = columns.filter((column) => (column.id === id ? !shown.has(id) : shown.has(column.id)));
    const first = pickColumns(columns, undefined);
    const isAsAtFirst = next.length === first.length && next.every((column) => first.includes(column));
    onChange(isAsAtFirst ? undefined : next.map((column) => column.id).join(","));
  };
  return (
    <Menu
      label="Columns"
      align="end"
      trigger={<IconButton label="Columns" icon={<Columns3 size={16} />} />}
      items={columns
        .filter(({ isFixed }) => !isFixed)
        .map(({ id, header }) => ({
          label: header,
          checked: shown.has(id),
          keepOpen: true,
          onSelect: () => toggle(id),
        }))}
    />
  );
}
