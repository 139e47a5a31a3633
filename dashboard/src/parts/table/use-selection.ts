import { useRef } from "react";

type Selection = ReadonlySet<string>;

/** Selects one row, or with Shift the range from the last selected one. */
export function useSelection(
  keys: string[],
  selection: Selection | undefined,
  onSelect: ((selection: Selection) => void) | undefined,
) {
  const last = useRef<string>(undefined);
  return (key: string, isRange: boolean) => {
    if (!selection) return;
    const next = new Set(selection);
    const [from, to] = [keys.indexOf(last.current ?? key), keys.indexOf(key)].sort((a, b) => a - b);
    const range = isRange && from !== undefined && from >= 0 && to !== undefined ? keys.slice(from, to + 1) : [key];
    const isAdding = !next.has(key);
    for (const each of range) isAdding ? next.add(each) : next.delete(each);
    last.current = key;
    onSelect?.(next);
  };
}
