import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../../test/seed/seed.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { binsOf, NO_DURATIONS, quantiles } from "../reports/distribution.ts";
import { AGAIN, addEncoded, addSketch, addValue, encodeSketch, mergeEncoded, type Sketch } from "./sketch.ts";

fc.configureGlobal({ seed: testSeed("sketch") });

const STEP_MS = sizeOf(23, 1);
const SHARES = [0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];
const DURATIONS = sizeOf(20_000, 1_000_000);

/** The same numbers in every run of the test. */
function random(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const next = random(42);
const normal = () => Math.sqrt(-2 * Math.log(next() || 1e-12)) * Math.cos(2 * Math.PI * next());
const DISTRIBUTIONS: Record<string, () => number> = {
  "spread evenly up to a minute": () => next() * 60_000,
  "of a few milliseconds": () => 1 + next() * 20,
  "log-normal around half a second": () => Math.exp(6.2 + 0.8 * normal()),
  "with two peaks": () => (next() < 0.9 ? 40 + next() * 20 : 25_000 + next() * 5_000),
  "with a long tail of hours": () => 100 / (1 - next()) ** 0.9,
  "all the same": () => 777,
};

/** By nearest rank. */
function exact(sorted: Int32Array, share: number): number {
  return sorted[Math.max(1, Math.ceil(share * sorted.length - 1e-9)) - 1] ?? 0;
}

describe("the histogram of durations", () => {
  for (const [name, draw] of Object.entries(DISTRIBUTIONS)) {
    it(`N2 gives percentiles within 1 % of the exact ones on ${DURATIONS} durations ${name}`, () => {
      const values = Int32Array.from({ length: DURATIONS }, () => Math.min(86_400_000, Math.floor(draw())));
      const hours: Sketch[] = Array.from({ length: 720 }, () => new Map());
      values.forEach((value, nth) => {
        addValue(hours[nth % 720] ?? new Map(), value);
      });
      const whole = hours.map(encodeSketch);
      const sorted = values.sort();
      const { count, values: estimates } = quantiles(whole, SHARES);
      expect(count).toBe(DURATIONS);
      estimates.forEach((found, nth) => {
        const truth = exact(sorted, SHARES[nth] ?? 0);
        expect(Math.abs((found ?? -1) - truth)).toBeLessThanOrEqual(truth * 0.01);
      });
      const month = hours.reduce<Buffer>((bytes, hour) => mergeEncoded(bytes, hour), Buffer.alloc(0));
      expect(month.length).toBeLessThan(8_192);
      expect(binsOf([month])).toEqual(binsOf(whole));
    });
  }

  it("is off by less than 1 % for every duration within a minute", () => {
    let worst = 0;
    for (let ms = 1; ms <= 60_000; ms += STEP_MS) {
      const sketch: Sketch = new Map();
      addValue(sketch, ms);
      const [found] = quantiles([encodeSketch(sketch)], [0.5]).values;
      worst = Math.max(worst, Math.abs((found ?? 0) - ms) / ms);
    }
    expect(worst).toBeLessThanOrEqual(0.01);
  });

  it("of two parts equals that of the whole, however they are split", () => {
    const durations = fc.array(fc.nat(86_400_000), { maxLength: 200 });
    fc.assert(
      fc.property(durations, durations, (some, others) => {
        const [one, two, both]: Sketch[] = [new Map(), new Map(), new Map()];
        if (!one || !two || !both) return;
        for (const ms of some) addValue(one, ms);
        for (const ms of others) addValue(two, ms);
        for (const ms of [...others, ...some]) addValue(both, ms);
        const merged = addEncoded(addEncoded(new Map(), encodeSketch(one)), encodeSketch(two));
        expect([...merged].sort()).toEqual([...both].sort());
        expect(mergeEncoded(encodeSketch(one), two)).toEqual(encodeSketch(both));
        addSketch(both, two, -1);
        expect([...both].sort()).toEqual([...one].sort());
      }),
    );
  });

  it("is decoded for charts as it was encoded, for any bins and counts", () => {
    const bins = fc.array(fc.tuple(fc.nat(8_000), fc.integer({ min: 1, max: 2 ** 40 })), { maxLength: 60 });
    fc.assert(
      fc.property(fc.array(bins, { maxLength: 4 }), (drawn) => {
        const sketches = drawn.map((each) => encodeSketch(new Map(each)));
        const summed = sketches.reduce((sum, bytes) => addEncoded(sum, bytes), new Map<number, number>());
        const read = binsOf(sketches).map(({ bin, count }) => [bin, count]);
        expect(read).toEqual([...summed].sort(([a], [b]) => a - b));
      }),
    );
  });

  it("has no percentiles when empty", () => {
    expect(quantiles(NO_DURATIONS, [0.5, 0.99])).toEqual({ count: 0, values: [null, null] });
    expect(binsOf(NO_DURATIONS)).toEqual([]);
    expect(encodeSketch(new Map()).length).toBe(0);
  });
});

describe("a histogram that was appended to", () => {
  it("is the sum of its parts, and after packing equals a single one", () => {
    const parts = fc.array(fc.array(fc.nat(86_400_000), { minLength: 1, maxLength: 30 }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(parts, (drawn) => {
        const whole: Sketch = new Map();
        const pieces = drawn.map((values) => {
          const part: Sketch = new Map();
          for (const ms of values) for (const each of [part, whole]) addValue(each, ms);
          return encodeSketch(part);
        });
        const appended = Buffer.concat(pieces.flatMap((piece, nth) => (nth === 0 ? [piece] : [AGAIN, piece])));
        expect(mergeEncoded(appended, new Map())).toEqual(encodeSketch(whole));
        expect(binsOf([appended])).toEqual(binsOf([encodeSketch(whole)]));
        expect(quantiles([appended], SHARES)).toEqual(quantiles([encodeSketch(whole)], SHARES));
      }),
    );
  });
});
