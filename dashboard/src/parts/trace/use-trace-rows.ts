import { useMemo, useState } from "react";
import { useLatest } from "../use-latest.ts";
import { findMatches, rowsOf, type TraceTree, treeOf } from "./trace-rows.ts";
import type { TraceItem } from "./trace-types.ts";

/** With more log lines and checkpoints than this, log lines are hidden at first. */
const MANY_MOMENTS = 300;

/** The visible rows: what is expanded, found and not hidden, with the actions that change it. */
export function useTraceRows(items: readonly TraceItem[], onLoad: (item: TraceItem) => void) {
  const [closed, setClosed] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [text, setText] = useState("");
  const [onlyFailed, setOnlyFailed] = useState(false);
  const [logs, setLogs] = useState<boolean>();
  const withLogs = logs ?? items.filter(({ isMoment }) => isMoment).length <= MANY_MOMENTS;
  const shown = useMemo(() => (withLogs ? items : items.filter(({ isMoment }) => !isMoment)), [items, withLogs]);
  const tree = useMemo(() => treeOf(shown), [shown]);
  const matches = useMemo(() => findMatches(shown, text, onlyFailed), [shown, text, onlyFailed]);
  const rows = useMemo(
    () => rowsOf(tree, { isOpen: (id) => isOpenIn(tree, closed, id), matches }),
    [tree, closed, matches],
  );
  const latest = useLatest({ tree, closed, onLoad });
  // Stable, because rows render again with them.
  const [acts] = useState(() => ({
    toggle: (id: string) => {
      const { tree: all, closed: before, onLoad: load } = latest.current;
      const isOpen = isOpenIn(all, before, id);
      const item = all.byId.get(id);
      setClosed(new Map(before).set(id, isOpen));
      if (!isOpen && item?.isLazy) load(item);
    },
    onCollapse: () => setClosed(new Map([...latest.current.tree.byId.keys()].map((id, nth) => [id, nth > 0]))),
    onExpand: () => setClosed(new Map(withoutLazy(latest.current.tree).map((id) => [id, false]))),
  }));
  const filter = { text, onText: setText, withLogs, onLogs: () => setLogs(!withLogs), onlyFailed };
  const toolbar = { ...filter, onFailed: () => setOnlyFailed(!onlyFailed), ...acts };
  return { tree, rows, matches, toggle: acts.toggle, toolbar };
}

/** Lazy spans are closed at first, all others are open. */
function isOpenIn({ byId, childrenOf }: TraceTree, closed: ReadonlyMap<string, boolean>, id: string): boolean {
  return !(closed.get(id) ?? (byId.get(id)?.isLazy === true || childrenOf(id).length === 0));
}

/** Spans whose children have not been loaded stay closed. */
function withoutLazy({ byId, childrenOf }: TraceTree): string[] {
  return [...byId.values()].filter(({ id, isLazy }) => !isLazy || childrenOf(id).length > 0).map(({ id }) => id);
}
