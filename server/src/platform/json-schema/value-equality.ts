import { randomInt } from "node:crypto";
import { type Evaluation, spend } from "./evaluation.ts";

/** Whether two JSON values are equal, regardless of the order of their fields. */
export function sameValues(a: unknown, b: unknown, evaluation: Evaluation): boolean {
  spend(evaluation, 3 + (typeof a === "string" ? a.length >> 6 : 0));
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => sameValues(item, b[i], evaluation));
  }
  const names = Object.keys(a);
  spend(evaluation, 3 * names.length);
  if (names.length !== Object.keys(b).length) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return names.every((name) => Object.hasOwn(right, name) && sameValues(left[name], right[name], evaluation));
}

/**
 * The last two equal items of a list, found by hash in time linear in the list, where pairwise comparison is quadratic.
 * Values with equal hashes are compared, and the comparison is charged to the budget.
 */
export function findEqualItems(
  items: readonly unknown[],
  evaluation: Evaluation,
): { i: number; j: number } | undefined {
  const indexesByHash = new Map<number, number[]>();
  let found: { i: number; j: number } | undefined;
  for (let i = 0; i < items.length; i++) {
    const hash = hashOf(items[i], evaluation);
    const others = indexesByHash.get(hash);
    spend(evaluation, 6);
    if (!others) {
      indexesByHash.set(hash, [i]);
      continue;
    }
    const j = others.findLast((other) => sameValues(items[i], items[other], evaluation));
    if (j !== undefined) found = { i, j };
    if (j !== undefined) others[others.indexOf(j)] = i;
    else others.push(i);
  }
  return found;
}

/** The number of values inside a value. */
export function weighValue(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, child) => sum + weighValue(child), 1);
}

/** A per-process secret, so that no one can choose values whose hashes collide, here or in the Map. */
const SEED = randomInt(2 ** 31);

function hashOf(value: unknown, evaluation: Evaluation): number {
  if (typeof value === "string") return hashText(value, 1, evaluation);
  if (typeof value !== "object" || value === null) return hashText(String(value), 2, evaluation);
  spend(evaluation, 6);
  if (Array.isArray(value)) {
    let hash = mix(SEED, 3);
    for (const item of value) hash = mix(hash, hashOf(item, evaluation));
    return hash;
  }
  // A sum, since the order of fields does not matter.
  let sum = mix(SEED, 4);
  for (const name of Object.keys(value)) {
    const field = hashOf((value as Record<string, unknown>)[name], evaluation);
    sum = (sum + mix(hashText(name, 5, evaluation), field)) | 0;
  }
  return sum;
}

function hashText(text: string, kind: number, evaluation: Evaluation): number {
  spend(evaluation, 3 + (text.length >> 4));
  let hash = mix(SEED, kind);
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash, text.length);
}

function mix(hash: number, more: number): number {
  const mixed = Math.imul(hash ^ more, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) ^ (mixed >>> 16);
}
