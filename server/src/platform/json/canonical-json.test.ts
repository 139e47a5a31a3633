import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../test/seed.ts";
import { canonicalJson } from "./canonical-json.ts";

fc.configureGlobal({ seed: testSeed("canonical-json") });

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, shuffled(field)] as const);
  return Object.fromEntries(entries.toReversed());
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

  it("differs for different values", () => {
    const different = [1, "1", [1], { a: 1 }, { a: "1" }, { a: [1] }, { b: 1 }, null, {}, [], "", "null", { a: null }];
    expect(new Set(different.map(canonicalJson)).size).toBe(different.length);
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });
});
