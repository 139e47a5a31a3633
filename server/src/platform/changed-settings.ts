import { isDeepStrictEqual } from "node:util";

/** The settings whose values differ. Key order in objects does not matter, nor does the sign of zero. */
export function changedSettings<T extends object>(before: T, after: T): Set<keyof T> {
  const names = Object.keys(after) as (keyof T)[];
  return new Set(names.filter((name) => !isDeepStrictEqual(before[name], asStored(after[name]))));
}

export function touches<N>(changed: ReadonlySet<N>, settings: readonly N[]): boolean {
  return settings.some((name) => changed.has(name));
}

function asStored(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
