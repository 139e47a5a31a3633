import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../../test/seed/any-text.ts";
import { testSeed } from "../../../test/seed/seed.ts";
import { sortInSlices } from "./canonical-json.ts";

fc.configureGlobal({ seed: testSeed("sort-in-slices") });

function sorted(texts: string[]): { texts: string[]; yields: number } {
  const own = [...texts];
  let yields = 0;
  for (const _ of sortInSlices(own)) yields++;
  return { texts: own, yields };
}

describe("sorting in slices", () => {
  it("gives the order of sort(), by UTF-16 code units", () => {
    const text = anyText({ maxLength: 4 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 50 }), (texts) => {
        expect(sorted(texts).texts).toEqual(texts.toSorted());
      }),
      { numRuns: 30 },
    );
    const astral = ["\u{1f600}", "\uffee", "b", "\ud83d", "", "a", "b"];
    expect(sorted(astral).texts).toEqual(astral.toSorted());
  });

  it.each([4_096, 4_097, 12_289, 49_000])("merges %i texts, and yields at least once for every 4,096", (count) => {
    const texts = Array.from({ length: count }, (_, i) => `k${(i * 7_919) % count}`);
    const { texts: found, yields } = sorted(texts);
    expect(found.join() === texts.toSorted().join()).toBe(true);
    expect(yields).toBeGreaterThanOrEqual(Math.ceil(count / 4_096));
  });
});
