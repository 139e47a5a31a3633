import type { KeyboardEvent } from "react";
import type { TraceRow } from "./trace-rows.ts";

type Acts = {
  rows: readonly TraceRow[];
  current: string | undefined;
  onCurrent: (id: string) => void;
  onSelect: (id: string) => void;
  onToggle: (id: string) => void;
  onZoom: (factor: number) => void;
  onWhole: () => void;
  onShift: (share: number) => void;
};

const PAGE = 12;

/** The keys of a tree, and of the time axis: plus, minus, 0 and shift with an arrow. */
export function traceKeys({ rows, current, ...acts }: Acts) {
  const at = Math.max(
    0,
    rows.findIndex(({ item }) => item.id === current),
  );
  const row = rows[at];
  const go = (to: number) => {
    const target = rows[Math.min(rows.length - 1, Math.max(0, to))];
    if (target) acts.onCurrent(target.item.id);
  };
  const parent = () => rows.slice(0, at).findLastIndex(({ level }) => level < (row?.level ?? 0));
  const open = () => (row?.isExpandable && !row.isOpen ? acts.onToggle(row.item.id) : go(at + 1));
  const close = () => (row?.isExpandable && row.isOpen ? acts.onToggle(row.item.id) : go(Math.max(0, parent())));
  const keys: Record<string, () => void> = {
    ArrowDown: () => go(at + 1),
    ArrowUp: () => go(at - 1),
    PageDown: () => go(at + PAGE),
    PageUp: () => go(at - PAGE),
    Home: () => go(0),
    End: () => go(rows.length - 1),
    ArrowRight: open,
    ArrowLeft: close,
    Enter: () => row && acts.onSelect(row.item.id),
    " ": () => row && acts.onSelect(row.item.id),
    "+": () => acts.onZoom(0.5),
    "=": () => acts.onZoom(0.5),
    "-": () => acts.onZoom(2),
    "0": acts.onWhole,
    "shift+ArrowRight": () => acts.onShift(0.2),
    "shift+ArrowLeft": () => acts.onShift(-0.2),
  };
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys[event.shiftKey && event.key.startsWith("Arrow") ? `shift+${event.key}` : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
}
