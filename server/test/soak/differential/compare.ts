import { INTENDED } from "./intended.ts";
import type { Json } from "./json.ts";

export type Difference = { path: string; baseline: string; current: string };

const MOST_CHARACTERS = 300;

/** The leaves that differ, without the intended ones. */
export function compare(baseline: Json, current: Json): Difference[] {
  return [...differences("", baseline, current)].filter(({ path }) => !INTENDED.some((each) => each.path.test(path)));
}

function* differences(path: string, baseline: Json, current: Json): Generator<Difference> {
  if (JSON.stringify(baseline) === JSON.stringify(current)) return;
  if (isObject(baseline) && isObject(current) && Array.isArray(baseline) === Array.isArray(current)) {
    const keys = new Set([...Object.keys(baseline), ...Object.keys(current)]);
    for (const key of keys) yield* differences(path ? `${path} › ${key}` : key, baseline[key], current[key]);
    return;
  }
  yield { path, baseline: print(baseline), current: print(current) };
}

function isObject(value: Json): boolean {
  return value !== null && typeof value === "object";
}

function print(value: Json): string {
  const text = value === undefined ? "(none)" : JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

export function printDifferences(differences: Difference[], most = 12): string {
  const lines = differences
    .slice(0, most)
    .map(({ path, baseline, current }) => `  ${path}\n    - ${baseline}\n    + ${current}`);
  const rest = differences.length > most ? [`  … and ${differences.length - most} more`] : [];
  return [...lines, ...rest].join("\n");
}
