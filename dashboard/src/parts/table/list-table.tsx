import { useCallback } from "react";
import { ErrorState } from "../state/error-state.tsx";
import { NewRowsPill } from "./new-rows-pill.tsx";
import { Table } from "./table.tsx";
import type { TableProps } from "./table-props.ts";

/** A paged list: the result of `useApiList` plus that of `useLiveRows`. */
type ReadList<Row> = {
  rows: readonly Row[] | undefined;
  error: unknown;
  refetch: () => unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  isPlaceholderData?: boolean;
  /** Number of rows created since the list was loaded. */
  newCount?: number;
  showNew?: () => void;
};

export type ListTableProps<Row> = Omit<
  TableProps<Row>,
  "rows" | "isStale" | "rowKey" | "onReachEnd" | "isLoadingMore"
> & {
  list: ReadList<Row>;
  /** Rows to show, if filtered or sorted differently from the loaded ones. */
  rows?: readonly Row[] | undefined;
  rowKey?: (row: Row) => string;
};

/** Rows with error, "N new" pill and load-more states. */
export function ListTable<Row>({ list, rows = list.rows, rowKey = idOf, ...table }: ListTableProps<Row>) {
  const { error, refetch, fetchNextPage, newCount = 0, showNew } = list;
  const retry = () => void refetch();
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return (
    <>
      {Boolean(error) && rows && <ErrorState error={error} as="banner" onRetry={retry} />}
      <div className="relative flex min-h-0 flex-1 flex-col">
        {showNew && rows && <NewRowsPill count={newCount} onShow={showNew} />}
        {error && !rows ? (
          <ErrorState error={error} onRetry={retry} />
        ) : (
          <Table
            {...table}
            rows={rows}
            isStale={list.isPlaceholderData}
            rowKey={rowKey}
            onReachEnd={list.hasNextPage && !list.isFetchingNextPage ? more : undefined}
            isLoadingMore={list.isFetchingNextPage}
          />
        )}
      </div>
    </>
  );
}

function idOf(row: unknown): string {
  return (row as { id: string }).id;
}
