import { parseTag } from "@millrace/contract/tag-filter";

/** A run's search terms as hashes. Equal values have equal hashes; collisions are rare and harmless. */

/** The bits of a hash. More would enlarge the index, fewer would make a search read more blocks in vain. */
const BITS = 24;

export type Findable = {
  project_id: string;
  /** `job`, `batch`, `key` …, each with its value. */
  words: readonly (readonly [key: string, value: string | null])[];
  tags: Record<string, string>;
  payload: unknown;
};

/** Returns all terms of a run. Hashing the payload stops soon after there are more than `max`. */
export function termsOf({ project_id, words, tags, payload }: Findable, max: number): Set<number> {
  const seed = hash(FNV_OFFSET, project_id);
  const terms = new Set<number>();
  for (const [key, value] of words) if (value !== null) terms.add(term(seed, key, value));
  for (const [key, value] of Object.entries(tags)) {
    terms.add(term(seed, "tag", key));
    terms.add(term(seed, "tag", `${key}\0${value}`));
  }
  addLeaves(hash(seed, "payload"), payload, terms, max);
  return terms;
}

export function wordTerm(project_id: string, key: string, value: string): number {
  return term(hash(FNV_OFFSET, project_id), key, value);
}

export function tagTerm(project_id: string, tag: string): number {
  const { key, value } = parseTag(tag);
  return wordTerm(project_id, "tag", value === null ? key : `${key}\0${value}`);
}

/** Returns the terms of every payload that contains this value. */
export function payloadTerms(project_id: string, contained: unknown): number[] {
  const terms = new Set<number>();
  addLeaves(hash(hash(FNV_OFFSET, project_id), "payload"), contained, terms, Number.POSITIVE_INFINITY);
  return [...terms];
}

/** One term for each value with its path. As with containment, list positions do not count. */
function addLeaves(above: number, value: unknown, terms: Set<number>, max: number): void {
  if (terms.size > max) return;
  if (typeof value !== "object" || value === null) {
    terms.add(fold(hash(hash(above, typeof value), String(value))));
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) addLeaves(above, item, terms, max);
    return;
  }
  // Not `Object.entries`, which takes three times as long for an object of 49,000 names.
  for (const name of Object.keys(value)) {
    if (terms.size > max) return;
    addLeaves(hash(above, name), (value as Record<string, unknown>)[name], terms, max);
  }
}

const term = (seed: number, key: string, value: string) => fold(hash(hash(seed, key), value));

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a, with the length after each text, so that "ab" + "c" differs from "a" + "bc". */
function hash(start: number, text: string): number {
  let state = start;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), FNV_PRIME);
  return Math.imul(state ^ text.length, FNV_PRIME);
}

/** Final mix of murmur3, so that all bits count. */
function fold(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) >>> (32 - BITS);
}
