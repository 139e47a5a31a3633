import { useEffect, useMemo } from "react";
import { useApiList } from "./use-api.ts";

/** Of 100 objects each. Objects on later pages are shown by id. */
const MAX_PAGES = 20;

const NONE = new Map<string, never>();

/** A whole list by id, read page by page, to resolve ids to names. Undefined until the first page arrives. */
export function useAll<T extends { id: string }>(path: string, isOn = true): ReadonlyMap<string, T> | undefined {
  const list = useApiList<T>(path, { limit: 100 }, isOn);
  const { data, rows, hasNextPage, isFetching, isError, fetchNextPage } = list;
  const isMore = hasNextPage && !isFetching && !isError && (data?.pages.length ?? 0) < MAX_PAGES;
  useEffect(() => {
    if (isMore) void fetchNextPage({ cancelRefetch: false }); // another component may have requested it
  }, [isMore, fetchNextPage]);
  const byId = useMemo(() => rows && new Map(rows.map((row) => [row.id, row])), [rows]);
  return byId ?? (isOn && !isError ? undefined : NONE);
}
