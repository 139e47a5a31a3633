import type { ReactNode } from "react";
import type { Column } from "./table-columns.tsx";

export type TableProps<Row> = {
  /** What is listed, for the ear: "Runs". */
  label: string;
  rows: readonly Row[] | undefined;
  /** They are what another filter found, while what fits this one is read. */
  isOld?: boolean | undefined;
  rowKey: (row: Row) => string;
  /** The same list each time, unless they have changed: rows are drawn again with them. */
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
