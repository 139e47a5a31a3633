import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../test/seed/seed.ts";
import { canonicalJson, writeCanonicalJson } from "./canonical-json.ts";

fc.configureGlobal({ seed: testSeed("canonical-json") });

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, shuffled(field)] as const);
  return Object.fromEntries(entries.toReversed());
}

/** The text as it was first defined. Stored hashes and the audit chain depend on every byte of it. */
function definedText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(definedText).join(",")}]`;
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${definedText(fields[name])}`).join(",")}}`;
}

/** How often the text is interrupted while it is written, and the text. */
function countYields(value: unknown): { yields: number; text: string } {
  const writing = writeCanonicalJson(value);
  for (let yields = 0; ; yields++) {
    const { done, value: text } = writing.next();
    if (done) return { yields, text };
  }
}

describe("the canonical text of a JSON value", () => {
  it.each([
    [null, "null"],
    ["é\n", '"é\\n"'],
    [[3, 1, 2], "[3,1,2]"],
    [{}, "{}"],
    [{ b: 1, a: [{ d: null, c: true }] }, '{"a":[{"c":true,"d":null}],"b":1}'],
    [{ "10": 1, "9": 2, a: 3 }, '{"10":1,"9":2,"a":3}'],
    [-0, "0"],
  ])("of %j is %s", (value, text) => expect(canonicalJson(value)).toBe(text));

  it("is the same for every key order and every spelling of a number", () => {
    expect(canonicalJson(JSON.parse('{"a": 1.0, "b": 1e2, "c": "\\u0061"}'))).toBe(
      canonicalJson(JSON.parse('{"c":"a","b":100,"a":1}')),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it("is parsed back to the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("is the defined text, byte by byte, also of a request with fields that were left out", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(value)).toBe(definedText(value));
      }),
    );
    const left_out = { b: undefined, a: [undefined, 1, null], c: { d: undefined } };
    expect(canonicalJson(left_out)).toBe('{"a":[,1,null],"b":undefined,"c":{"d":undefined}}');
  });

  it.each<[string, unknown]>([
    ["names", Object.fromEntries(Array.from({ length: 49_000 }, (_, i) => [`${(i * 7_919) % 49_000}\u00e9\u4e00`, i]))],
    ["items", Array.from({ length: 49_000 }, (_, i) => i)],
    ["small objects", Array.from({ length: 20_000 }, (_, i) => ({ b: i, a: [] }))],
  ])("of 49,000 %s is written in at least 40 slices", (_, value) => {
    const { yields, text } = countYields(value);
    expect(yields).toBeGreaterThanOrEqual(40);
    expect(text === definedText(value)).toBe(true);
  });

  it("of fewer than a thousand values is written without a yield", () => {
    const small = Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`k${i}`, { list: [1, 2, 3, 4, 5, 6, 7] }]));
    expect(countYields(small).yields).toBe(0);
  });

  it("differs for different values", () => {
    const different = [1, "1", [1], { a: 1 }, { a: "1" }, { a: [1] }, { b: 1 }, null, {}, [], "", "null", { a: null }];
    expect(new Set(different.map(canonicalJson)).size).toBe(different.length);
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });
});
