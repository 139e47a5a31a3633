import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../../test/seed/seed.ts";
import { segmentsOf } from "./series.ts";

fc.configureGlobal({ seed: testSeed("segments") });

const MINUTE_MS = 60_000;
const minutes = (text: string) => Date.parse(text);

describe("the segments of a range", () => {
  it("are adjacent, cover it, and start and end at bucket boundaries", () => {
    fc.assert(
      fc.property(fc.nat(60_000), fc.integer({ min: 1, max: 60_000 }), (start, length) => {
        const [from, to] = [start * MINUTE_MS, (start + length) * MINUTE_MS];
        const segments = segmentsOf(from, to, 60);
        expect(segments[0]?.from_ms).toBe(from);
        expect(segments.at(-1)?.to_ms).toBe(to);
        segments.forEach(({ grain, from_ms, to_ms }, nth) => {
          expect([from_ms % (grain * 1_000), to_ms % (grain * 1_000)]).toEqual([0, 0]);
          expect(to_ms).toBeGreaterThan(from_ms);
          if (nth > 0) expect(from_ms).toBe(segments[nth - 1]?.to_ms);
        });
        const buckets = segments.reduce((sum, each) => sum + (each.to_ms - each.from_ms) / each.grain / 1_000, 0);
        expect(buckets).toBeLessThanOrEqual(60_000 / 1_440 + 2 * 23 + 2 * 59);
      }),
    );
  });

  it("are days where whole days fit, else hours, else minutes", () => {
    const from = minutes("2030-01-01T22:58:00Z");
    expect(segmentsOf(from, minutes("2030-01-04T01:01:00Z"), 60).map(({ grain }) => grain)).toEqual([
      60, 3_600, 86_400, 3_600, 60,
    ]);
    expect(segmentsOf(from, from + 2 * MINUTE_MS, 60)).toHaveLength(1);
    expect(segmentsOf(from, from, 60)).toEqual([]);
  });
});
