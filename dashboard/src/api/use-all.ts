import { useEffect, useMemo } from "react";
import { useApiList } from "./use-api.ts";

/** Of a hundred each. What is beyond them goes by its id where names are shown. */
const MOST_PAGES = 20;

const NONE = new Map<string, never>();

/** A whole list by id, read page by page: for the names of what others only have the ids of. Undefined until its first page is there. */
export function useAll<T extends { id: string }>(path: string, isOn = true): ReadonlyMap<string, T> | undefined {
  const list = useApiList<T>(path, { limit: 100 }, isOn);
  const { data, rows, hasNextPage, isFetching, isError, fetchNextPage } = list;
  const isMore = hasNextPage && !isFetching && !isError && (data?.pages.length ?? 0) < MOST_PAGES;
  useEffect(() => {
    if (isMore) void fetchNextPage({ cancelRefetch: false }); // others may have asked for it
  }, [isMore, fetchNextPage]);
  const byId = useMemo(() => rows && new Map(rows.map((row) => [row.id, row])), [rows]);
  return byId ?? (isOn && !isError ? undefined : NONE);
}
