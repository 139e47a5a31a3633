import { useMemo, useRef } from "react";

/** Objects by id, keeping the previous object if it is unchanged, so that it does not render again. */
export function useStableItems<T extends { id: string }>(items: T[], isSame: (before: T, now: T) => boolean): T[] {
  const previous = useRef<ReadonlyMap<string, T>>(new Map());
  return useMemo(() => {
    const same = items.map((item) => {
      const before = previous.current.get(item.id);
      return before !== undefined && isSame(before, item) ? before : item;
    });
    previous.current = new Map(same.map((item) => [item.id, item]));
    return same;
  }, [items, isSame]);
}

/** Shallow comparison, except for the ignored names. */
export function isShallowSame(one: object, other: object, without: readonly string[] = []): boolean {
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) if (!without.includes(name) && !Object.is(a[name], b[name])) return false;
  return true;
}
