import type { ReactNode } from "react";
import type { Column } from "./table-columns.tsx";

export type TableProps<Row> = {
  /** Accessible name, for example "Runs". */
  label: string;
  rows: readonly Row[] | undefined;
  /** Rows of the previous filter, while the new one loads. */
  isStale?: boolean | undefined;
  rowKey: (row: Row) => string;
  /** Must be stable between renders, because rows render again with them. */
  columns: Column<Row>[];
  onOpen?: (row: Row) => void;
  onPeek?: (row: Row) => void;
  /** The row with the open panel. */
  current?: string | undefined;
  /** Omit to disable selection. */
  selection?: ReadonlySet<string>;
  onSelect?: (selection: ReadonlySet<string>) => void;
  onReachEnd?: (() => void) | undefined;
  isLoadingMore?: boolean;
  /** Shown when there are no rows. */
  empty: ReactNode;
};
