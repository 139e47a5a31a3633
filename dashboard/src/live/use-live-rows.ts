import type { StreamChange } from "@millrace/contract/deliveries/streams";
import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Page } from "../api/use-api.ts";
import { useLive } from "./use-live.ts";

type Options<Row> = {
  topics: string[];
  /** Path of the lists to patch, as in `useApiList`. */
  path: string;
  idOf: (row: Row) => string;
  /** Returns the row after the change, or the same row if nothing changed. */
  patch: (row: Row, change: StreamChange) => Row;
  /** Whether a changed row outside the list would now belong to it. */
  isNew: (change: StreamChange) => boolean;
  /** Rows must not move while the user works with them; changes are applied afterwards. */
  isPaused: boolean;
};

const BATCH_MS = 100;

/** Patches rows in place without moving them. New rows are only counted, for the "N new" pill. */
export function useLiveRows<Row>({ topics, path, idOf, patch, isNew, isPaused }: Options<Row>) {
  const client = useQueryClient();
  const [newIds, setNewIds] = useState<ReadonlySet<string>>(new Set());
  const waiting = useRef<StreamChange[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const refresh = useCallback(() => {
    setNewIds(new Set());
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
    if (fresh.length > 0) setNewIds((before) => new Set([...before, ...fresh]));
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
    }, BATCH_MS);
  };
  useLive(topics, onChange, refresh);
  return { newCount: newIds.size, showNew: refresh, clearNew: useCallback(() => setNewIds(new Set()), []) };
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
