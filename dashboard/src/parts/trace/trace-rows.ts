import type { TraceItem } from "./trace-types.ts";

export type TraceRow = {
  item: TraceItem;
  level: number;
  place: number;
  siblings: number;
  isExpandable: boolean;
  isOpen: boolean;
};

export type TraceTree = {
  root: TraceItem | undefined;
  byId: ReadonlyMap<string, TraceItem>;
  childrenOf: (id: string) => readonly TraceItem[];
};

const NONE: readonly TraceItem[] = [];

/** Items whose parent is missing, such as those of an attempt that retention removed, are below the root. */
export function treeOf(items: readonly TraceItem[]): TraceTree {
  const byId = new Map(items.map((item) => [item.id, item]));
  const root = items.find(({ parentId }) => parentId === null);
  const children = new Map<string, TraceItem[]>();
  for (const item of items) {
    if (item === root) continue;
    const parent = item.parentId !== null && byId.has(item.parentId) ? item.parentId : (root?.id ?? "");
    const list = children.get(parent);
    if (list) list.push(item);
    else children.set(parent, [item]);
  }
  for (const list of children.values()) list.sort((a, b) => a.from - b.from || rank(a) - rank(b));
  return { root, byId, childrenOf: (id) => children.get(id) ?? NONE };
}

/** With equal times, the queue comes before the attempt, and a span before the points in it. */
function rank({ kind, isMoment }: TraceItem): number {
  return kind === "queue" ? 0 : isMoment ? 2 : 1;
}

type Shown = { isOpen: (id: string) => boolean; matches: ReadonlySet<string> | undefined };

/** The visible rows. With a search, only matches and their ancestors, all expanded. */
export function rowsOf(tree: TraceTree, { isOpen, matches }: Shown): TraceRow[] {
  const rows: TraceRow[] = [];
  const kept = matches && withAncestors(tree, matches);
  const visit = (item: TraceItem, level: number, place: number, siblings: number) => {
    const all = tree.childrenOf(item.id);
    const below = kept ? all.filter(({ id }) => kept.has(id)) : all;
    const open = kept ? below.length > 0 || isOpen(item.id) : isOpen(item.id);
    const shown = kept && below.length === 0 ? NONE : below;
    rows.push({ item, level, place, siblings, isExpandable: all.length > 0 || item.isLazy, isOpen: open });
    if (open) for (const [nth, child] of shown.entries()) visit(child, level + 1, nth + 1, shown.length);
  };
  if (tree.root) visit(tree.root, 1, 1, 1);
  return rows;
}

/** Whether the name or the kind contains the text, or the span has failed. */
export function findMatches(items: readonly TraceItem[], text: string, onlyFailed: boolean): Set<string> | undefined {
  const wanted = text.trim().toLowerCase();
  if (wanted === "" && !onlyFailed) return undefined;
  const isMatch = ({ label, note = "", kind, status }: TraceItem) =>
    (!onlyFailed || FAILED.has(status)) && `${label} ${note} ${kind}`.toLowerCase().includes(wanted);
  return new Set(items.filter(isMatch).map(({ id }) => id));
}

const FAILED: ReadonlySet<string> = new Set(["failed", "timed_out", "error", "warn"]);

function withAncestors({ byId, root }: TraceTree, ids: ReadonlySet<string>): Set<string> {
  const kept = new Set<string>(root ? [root.id] : []);
  for (const id of ids) {
    for (let at = byId.get(id); at && !kept.has(at.id); at = at.parentId === null ? undefined : byId.get(at.parentId)) {
      kept.add(at.id);
    }
  }
  return kept;
}
