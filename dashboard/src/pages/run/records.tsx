import type { ReactNode } from "react";
import { useApiList } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { SkeletonLines } from "../../parts/skeleton.tsx";

type Props<T> = {
  path: string;
  /** In place of records when there are none: how a job leaves them. */
  empty: ReactNode;
  children: (rows: T[]) => ReactNode;
};

/** What a run left of one kind, oldest first, with the states that every such list has. */
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
          Load more
        </Button>
      )}
    </div>
  );
}
