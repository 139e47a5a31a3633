import type { ReactNode } from "react";
import { useApiList } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";

type Props<T> = {
  path: string;
  /** Shown when there are no records: how a job writes them. */
  empty: ReactNode;
  children: (rows: T[]) => ReactNode;
};

/** A list of one kind of run record, oldest first, with loading, error and empty states. */
export function Records<T>({ path, empty, children }: Props<T>) {
  const list = useApiList<T>(path, { order: "asc", limit: 100 });
  const { rows, error } = list;
  return (
    <div className="flex flex-col gap-3">
      {error && <ErrorState error={error} as={rows ? "banner" : "block"} onRetry={() => void list.refetch()} />}
      {!rows && !error && <SkeletonLines />}
      {rows?.length === 0 && empty}
      {rows && rows.length > 0 && children(rows)}
      {list.hasNextPage && (
        <Button className="self-start" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}
