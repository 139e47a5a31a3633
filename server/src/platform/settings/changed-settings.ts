import { isDeepStrictEqual } from "node:util";
import { writeCanonicalJson } from "../json/canonical-json.ts";

/**
 * The settings whose values differ. Key order in objects does not matter, nor does the sign of zero. Yields between the
 * parts of a value: the steps of a workflow may have 49,000 names.
 */
export function* changedSettings<T extends object>(before: T, after: T): Generator<void, Set<keyof T>> {
  const changed = new Set<keyof T>();
  for (const name of Object.keys(after) as (keyof T)[]) {
    if (!(yield* isSame(before[name], after[name]))) changed.add(name);
  }
  return changed;
}

export function touches<N>(changed: ReadonlySet<N>, settings: readonly N[]): boolean {
  return settings.some((name) => changed.has(name));
}

/** Lists item by item, each compared in the form in which it is stored. */
function* isSame(before: unknown, after: unknown): Generator<void, boolean> {
  if (!Array.isArray(before) || !Array.isArray(after)) return yield* isSameStored(before, after);
  if (before.length !== after.length) return false;
  for (const [i, item] of after.entries()) {
    if (!(yield* isSameStored(before[i], item))) return false;
    yield;
  }
  return true;
}

function* isSameStored(before: unknown, after: unknown): Generator<void, boolean> {
  if (typeof after !== "object" || after === null) return isDeepStrictEqual(before, asStored(after));
  const text = JSON.stringify(after);
  if (text.length <= LARGE) return isDeepStrictEqual(before, JSON.parse(text));
  yield;
  const stored = JSON.parse(text);
  yield;
  return (yield* writeCanonicalJson(before)) === (yield* writeCanonicalJson(stored));
}

/** In characters: serializing, parsing and comparing more takes milliseconds each. */
const LARGE = 65_536;

function asStored(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
