import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../../test/seed/seed.ts";
import { newId } from "../../../platform/ids.ts";
import { payloadTerms, tagTerm, termsOfRuns, wordTerm } from "./search-terms.ts";

fc.configureGlobal({ seed: testSeed("search-terms") });

const project_id = newId();
const termsOfPayload = (payload: unknown) => termsOfRuns(project_id)({ words: [], tags: {}, payload }, 500);

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
    expect(termsOfPayload(JSON.parse('{"a": 1.0, "b": 1e2}'))).toEqual(termsOfPayload({ a: 1, b: 100 }));
    expect(termsOfPayload({ a: [1, [2]] })).toEqual(termsOfPayload({ a: [2, 1] }));
    expect(termsOfPayload(-0)).toEqual(termsOfPayload(0));
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
    expect(termsOfRuns(newId())({ words: [], tags: {}, payload: 1 }, 500)).not.toEqual(termsOfPayload(1));
  });

  it("include the terms of its tags, even with colons in them", () => {
    const words = [
      ["key", "k"],
      ["batch", null],
    ] as const;
    const terms = termsOfRuns(project_id)({ words, tags: { "a:b": "c:d" }, payload: {} }, 500);
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
      expect(termsOf({ words, tags: {}, payload: {} }, 500)).toEqual(expected);
    }
  });
});
