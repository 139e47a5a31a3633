import { parseTag } from "@millrace/contract/query-language/tag-filter";
import { appendPayloadTerms, type JsonPart } from "./payload-terms.ts";
import { FNV_OFFSET, fold, hash } from "./term-hash.ts";

/** A run's search terms as hashes. Equal values have equal hashes; collisions are rare and harmless. */

export type Words = {
  /** `job`, `batch`, `key` …, each with its value. */
  words: readonly (readonly [key: string, value: string | null])[];
  tags: Record<string, string>;
};

export type TermsOf = {
  /** The terms of everything but the payload, which many runs share. */
  words: (of: Words) => number[];
  /** These and the terms of a payload, possibly repeated; null if more than `max` are different. */
  withPayload: (words: readonly number[], payload: JsonPart, max: number) => number[] | null;
};

/** The terms of runs of the project. Many runs in a row have the same job and creator, which are hashed once. */
export function termsOfRuns(project_id: string): TermsOf {
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

  return {
    words: ({ words, tags }) => [
      ...words.flatMap(([key, value]) => (value === null ? [] : wordOf(key, value))),
      ...Object.entries(tags).flatMap(([key, value]) => [
        term(seed, "tag", key),
        term(seed, "tag", `${key}\0${value}`),
      ]),
    ],
    withPayload: (words, payload, max) => appendPayloadTerms([...words], payloadSeed, payload, max),
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
  const text = JSON.stringify(contained);
  const payload = { text, from: 0, to: text.length };
  return [...new Set(termsOfRuns(project_id).withPayload([], payload, Number.POSITIVE_INFINITY))];
}

const term = (seed: number, key: string, value: string) => fold(hash(hash(seed, key), value));
