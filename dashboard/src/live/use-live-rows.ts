import type { StreamChange } from "@millrace/contract/streams";
import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Page } from "../api/use-api.ts";
import { useLive } from "./use-live.ts";

type Options<Row> = {
  topics: string[];
  /** The path whose lists are patched, as in `useApiList`. */
  path: string;
  idOf: (row: Row) => string;
  /** The row as it is after the change; the same row when it says nothing new. */
  patch: (row: Row, change: StreamChange) => Row;
  /** Whether a change of a row that is not in the list would bring it into it. */
  isNew: (change: StreamChange) => boolean;
  /** Nothing moves while somebody works with the rows; what came is patched in afterwards. */
  isPaused: boolean;
};

const GATHER_MS = 100;

/** Rows are patched where they stand and never move. What would come above them is counted, for a pill to show. */
export function useLiveRows<Row>({ topics, path, idOf, patch, isNew, isPaused }: Options<Row>) {
  const client = useQueryClient();
  const [news, setNews] = useState<ReadonlySet<string>>(new Set());
  const waiting = useRef<StreamChange[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const refresh = useCallback(() => {
    setNews(new Set());
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === path && queryKey.at(-1) === "list" });
  }, [client, path]);

  const apply = useCallback(() => {
    const changes = waiting.current.splice(0);
    const known = new Set<string>();
    const lists = client.getQueriesData<InfiniteData<Page<Row>>>({
      predicate: ({ queryKey }) => queryKey[1] === path && queryKey.at(-1) === "list",
    });
    for (const [key, list] of lists) {
      if (!list) continue;
      for (const { data } of list.pages) for (const row of data) known.add(idOf(row));
      const patched = patchList(list, changes, idOf, patch);
      if (patched !== list) client.setQueryData(key, patched);
    }
    const fresh = changes.filter((change) => !known.has(change.id) && isNew(change)).map(({ id }) => id);
    if (fresh.length > 0) setNews((before) => new Set([...before, ...fresh]));
  }, [client, path, idOf, patch, isNew]);

  useEffect(() => {
    if (!isPaused && waiting.current.length > 0) apply();
  }, [isPaused, apply]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const onChange = (change: StreamChange) => {
    waiting.current.push(change);
    if (isPaused || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      apply();
    }, GATHER_MS);
  };
  useLive(topics, onChange, refresh);
  return { news: news.size, showNews: refresh, forgetNews: useCallback(() => setNews(new Set()), []) };
}

function patchList<Row>(
  list: InfiniteData<Page<Row>>,
  changes: StreamChange[],
  idOf: (row: Row) => string,
  patch: (row: Row, change: StreamChange) => Row,
) {
  const byId = new Map<string, StreamChange[]>();
  for (const change of changes) byId.set(change.id, [...(byId.get(change.id) ?? []), change]);
  let isTouched = false;
  const pages = list.pages.map((page) => {
    const data = page.data.map((row) => (byId.get(idOf(row)) ?? []).reduce(patch, row));
    if (data.every((row, nth) => row === page.data[nth])) return page;
    isTouched = true;
    return { ...page, data };
  });
  return isTouched ? { ...list, pages } : list;
}
