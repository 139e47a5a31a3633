import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../../test/seed/seed.ts";
import { newId } from "../../../platform/ids.ts";
import { payloadTerms, tagTerm, termsOfRuns, type Words, wordTerm } from "./search-terms.ts";

fc.configureGlobal({ seed: testSeed("search-terms") });

const project_id = newId();
const MAX = 500;
/** As the first version wrote them. */
const STORED = [2814454, 15080984, 6941400, 8272506, 6665931, 13774529, 13570126];

const termsOfText = (text: string, max = MAX, of = project_id) => {
  const terms = termsOfRuns(of).withPayload([], { text, from: 0, to: text.length }, max);
  return terms && new Set(terms);
};
const termsOfPayload = (payload: unknown) => termsOfText(JSON.stringify(payload)) ?? new Set();
const termsOfWords = (of: Words) => new Set(termsOfRuns(project_id).words(of));

/** A random value that is contained in the given one: fields and items are left out. */
function partOf(value: unknown, keep: () => boolean): unknown {
  if (Array.isArray(value)) return value.filter(keep).map((item) => partOf(item, keep));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(keep);
  return Object.fromEntries(kept.map(([name, field]) => [name, partOf(field, keep)]));
}

describe("the terms of a run", () => {
  it("include those of everything that its payload contains", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.infiniteStream(fc.boolean()), (payload, coins) => {
        const part = partOf(payload, () => coins.next().value);
        const terms = termsOfPayload(payload);
        for (const term of payloadTerms(project_id, part)) expect(terms.has(term)).toBe(true);
      }),
    );
  });

  it("are the same for every notation of a number, and for items at any position", () => {
    expect(termsOfText('{"a": 1.0, "b": 1e2}')).toEqual(termsOfPayload({ a: 1, b: 100 }));
    expect(termsOfPayload({ a: [1, [2]] })).toEqual(termsOfPayload({ a: [2, 1] }));
    expect(termsOfText("-0")).toEqual(termsOfPayload(0));
  });

  it("are the same however JSON is written, in a text of its own or among others", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        const text = JSON.stringify(payload);
        const spaced = JSON.stringify(payload, null, 1).replaceAll("\n", " ");
        const escaped = text.replace(
          /[\u0080-\uffff]/g,
          (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
        for (const other of [spaced, escaped]) expect(termsOfText(other)).toEqual(termsOfText(text));
        const among = { text: `"a"${text}"b"`, from: 3, to: 3 + text.length };
        expect(new Set(termsOfRuns(project_id).withPayload([], among, MAX))).toEqual(termsOfText(text));
      }),
    );
  });

  it("stay as they are stored: an index outlives the version that wrote it", () => {
    const payload = { a: 1, 'b"': [true, null, { c: "\u00e9" }], d: -1.5, e: {} };
    const of = "01a00000-0000-7000-8000-000000000000";
    expect([...payloadTerms(of, payload), wordTerm(of, "job", "x"), tagTerm(of, "a:b")]).toEqual(STORED);
  });

  it("are none if more are different, however often they are repeated", () => {
    const items = (count: number) => JSON.stringify(Array.from({ length: 3 * count }, (_, nth) => nth % count));
    expect(termsOfText(items(7), 7)?.size).toBe(7);
    expect(termsOfText(items(8), 7)).toBeNull();
    expect(termsOfRuns(project_id).withPayload([1, 2], { text: "{}", from: 0, to: 2 }, 1)).toBeNull();
  });

  it("differ for different values", () => {
    const values = [
      1,
      "1",
      true,
      "true",
      null,
      "null",
      { a: 1 },
      { a: "1" },
      { b: 1 },
      { a: { b: 1 } },
      { ab: 1 },
      [{ a: 2 }],
    ];
    expect(new Set(values.map((value) => JSON.stringify([...termsOfPayload(value)]))).size).toBe(values.length);
    expect(termsOfText("1", MAX, newId())).not.toEqual(termsOfPayload(1));
  });

  it("include the terms of its tags, even with colons in them", () => {
    const words = [
      ["key", "k"],
      ["batch", null],
    ] as const;
    const terms = termsOfWords({ words, tags: { "a:b": "c:d" } });
    for (const tag of ["a\\:b", "a\\:b:c:d"]) expect(terms.has(tagTerm(project_id, tag))).toBe(true);
    for (const tag of ["a", "a:b", "a:b:c:d"]) expect(terms.has(tagTerm(project_id, tag))).toBe(false);
    expect(terms.has(wordTerm(project_id, "key", "k"))).toBe(true);
    expect(terms.size).toBe(3);
  });

  it("are those of each run, however many of the project have the same values", () => {
    const termsOf = termsOfRuns(project_id);
    for (const value of ["a", "a", "b", "a"]) {
      const words = [
        ["job", value],
        ["key", "a"],
      ] as const;
      const expected = new Set([wordTerm(project_id, "job", value), wordTerm(project_id, "key", "a")]);
      expect(new Set(termsOf.words({ words, tags: {} }))).toEqual(expected);
    }
  });
});
