import { parseTag } from "@millrace/contract/query-language/tag-filter";
import { type Sql, sql } from "../../../platform/database/sql.ts";

/** A run's search terms as hashes. Equal values have equal hashes; collisions are rare and harmless. */

/** The bits of a hash. More would enlarge the index, fewer would make a search read more blocks for nothing. */
const BITS = 24;

export type Findable = {
  /** `job`, `batch`, `key` …, each with its value. */
  words: readonly (readonly [key: string, value: string | null])[];
  tags: Record<string, string>;
  payload: unknown;
};

/**
 * Returns all terms of a run of the project. Hashing the payload stops soon after there are more than `max`. Many runs
 * in a row have the same job and creator, which are hashed once.
 */
export function termsOfRuns(project_id: string): (run: Findable, max: number) => Set<number> {
  const seed = hash(FNV_OFFSET, project_id);
  const payloadSeed = hash(seed, "payload");
  const last = new Map<string, { value: string; term: number }>();

  function wordOf(key: string, value: string): number {
    const known = last.get(key);
    if (known?.value === value) return known.term;
    const own = { value, term: term(seed, key, value) };
    last.set(key, own);
    return own.term;
  }

  return ({ words, tags, payload }, max) => {
    const terms = new Set<number>();
    for (const [key, value] of words) if (value !== null) terms.add(wordOf(key, value));
    for (const [key, value] of Object.entries(tags)) {
      terms.add(term(seed, "tag", key));
      terms.add(term(seed, "tag", `${key}\0${value}`));
    }
    addLeaves(payloadSeed, payload, terms, max);
    return terms;
  };
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

/**
 * A block stores the terms of all its runs together; `bloom_filters` has a Bloom filter per run. Each run has 256 bits, and
 * each of its terms sets three: a run that lacks one of a term's bits does not have it. With 25 terms, one run in 60 is
 * a false positive.
 */
const BYTES = 32;
const TERM_BITS = 24;

/** The three bits of a 24-bit term: one for each of its bytes. */
const bitsOf = (term: number) => [term & 0xff, (term >>> 8) & 0xff, (term >>> 16) & 0xff];

/** Concatenated, in hexadecimal. Allocates no lists: this runs for every run that ends. */
export function bloomFiltersOf(runs: readonly (readonly number[])[]): string {
  const filters = Buffer.alloc(runs.length * BYTES);
  for (const [nth, terms] of runs.entries()) {
    for (const term of terms) {
      for (let shift = 0; shift < TERM_BITS; shift += 8) setBit(filters, nth, (term >>> shift) & 0xff);
    }
  }
  return filters.toString("hex");
}

function setBit(filters: Buffer, nth: number, bit: number): void {
  const at = nth * BYTES + (bit >>> 3);
  filters[at] = (filters[at] ?? 0) | (1 << (bit & 7));
}

/** True if the run at position `nth` of its block may have all terms of `all_of` and one of each list of `any_of`. */
export function mayHold(all_of: readonly number[], any_of: readonly number[][]): Sql {
  const each = [...all_of.map(holds), ...any_of.map((terms) => sql`(${sql.join(terms.map(holds), sql` or `)})`)];
  return each.length === 0 ? sql`true` : sql`(bloom_filters is null or (${sql.join(each, sql` and `)}))`;
}

const holds = (term: number) => sql`(${sql.join(bitsOf(term).map(isSet), sql` and `)})`;

const isSet = (bit: number) =>
  sql`get_byte(bloom_filters, (nth::int - 1) * ${sql.lit(BYTES)} + ${bit >>> 3}::int) & ${1 << (bit & 7)}::int <> 0`;
