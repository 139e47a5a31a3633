import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../test/seed/seed.ts";
import { addStart, emptyWindow, nextRoomMs, type RateWindow, roomIn, windowAt } from "./rate-window.ts";

fc.configureGlobal({ seed: testSeed("rate-window") });

const EPOCH_MS = Date.parse("2030-01-01T00:00:00Z");

/** Requests a start at each of these times and records what was admitted, refused, and the window at that time. */
function simulate(max: number, window_secs: number, times: number[]) {
  let window = emptyWindow(window_secs);
  const starts: number[] = [];
  const refused: { at: number; startsBefore: number; window: RateWindow }[] = [];
  for (const at of times) {
    window = windowAt(window, window_secs, at);
    if (roomIn(window, max) > 0) {
      addStart(window);
      starts.push(at);
    } else refused.push({ at, startsBefore: starts.length, window });
  }
  return { starts, refused };
}

/** A limit, and request times: in bursts, in steps, and after silence, with fractions of a millisecond. */
const scenario = fc
  .record({
    max: fc.integer({ min: 1, max: 12 }),
    window_secs: fc.oneof(fc.constantFrom(1, 7, 60, 3_600, 86_400), fc.integer({ min: 1, max: 86_400 })),
    from: fc.integer({ min: EPOCH_MS, max: EPOCH_MS + 1_000_000_000 }),
    steps: fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1.5, noNaN: true })), {
      minLength: 1,
      maxLength: 120,
    }),
  })
  .map(({ max, window_secs, from, steps }) => {
    let at = from;
    const times = steps.map((step) => {
      at += (step * window_secs * 1_000) / max / 2;
      return at;
    });
    return { max, window_secs, times };
  });

const since = (starts: number[], from: number, to: number) => starts.filter((at) => at > from && at <= to).length;

describe("starts under a rate limit", () => {
  it("R5 never exceed the limit in any window", () => {
    fc.assert(
      fc.property(scenario, ({ max, window_secs, times }) => {
        const { starts } = simulate(max, window_secs, times);
        for (const at of starts) expect(since(starts, at - window_secs * 1_000, at)).toBeLessThanOrEqual(max);
      }),
      { numRuns: 300 },
    );
  });

  it("R5 are refused only when the window and a sixtieth before it are full", () => {
    fc.assert(
      fc.property(scenario, ({ max, window_secs, times }) => {
        const { starts, refused } = simulate(max, window_secs, times);
        for (const { at, startsBefore } of refused) {
          const before = starts.slice(0, startsBefore);
          expect(since(before, at - (window_secs * 1_000 * 61) / 60 - 1, at)).toBeGreaterThanOrEqual(max);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("R5 of a steady stream are at most a sixtieth fewer than allowed", () => {
    const times = Array.from({ length: 61 * 600 }, (_, index) => EPOCH_MS + index * 100);
    const { starts } = simulate(100, 60, times);
    const hours = (times.length * 100) / 60_000;
    expect(starts.length).toBeGreaterThanOrEqual(Math.floor((100 * hours * 60) / 61) - 1);
    expect(starts.length).toBeLessThanOrEqual(100 * Math.ceil(hours) + 100);
  });

  it("R5 are counted although a second burst comes just when the first slot leaves the window", () => {
    const burst = (at: number) => Array.from({ length: 10 }, () => at);
    const { starts } = simulate(10, 60, [...burst(EPOCH_MS + 999), ...burst(EPOCH_MS + 60_000)]);
    expect(starts).toHaveLength(10);
  });

  it("R5 have the whole limit available again after a long silence", () => {
    const { starts } = simulate(
      3,
      10,
      [0, 0, 0, 0, 10_200, 10_200, 10_200, 10_200].map((ms) => EPOCH_MS + ms),
    );
    expect(starts).toHaveLength(6);
  });
});

describe("the time of the next start", () => {
  it("R5 has capacity, and a millisecond before there is none", () => {
    fc.assert(
      fc.property(scenario, ({ max, window_secs, times }) => {
        for (const { at, window } of simulate(max, window_secs, times).refused) {
          const next = nextRoomMs(window, max);
          expect(Number.isInteger(next)).toBe(true);
          expect(next).toBeGreaterThan(at);
          expect(roomIn(windowAt(window, window_secs, next), max)).toBeGreaterThan(0);
          expect(roomIn(windowAt(window, window_secs, next - 1), max)).toBe(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("R5 is a window and a sixtieth after a start at the latest", () => {
    const window = windowAt(emptyWindow(60), 60, EPOCH_MS);
    addStart(window);
    expect(nextRoomMs(window, 1)).toBe(EPOCH_MS + 61_000);
  });

  it("R5 under a lowered limit is when enough have left that one more fits", () => {
    let window = windowAt(emptyWindow(60), 60, EPOCH_MS);
    for (const at of [0, 10_000, 20_000]) {
      window = windowAt(window, 60, EPOCH_MS + at);
      addStart(window);
    }
    expect([3, 2, 1].map((max) => nextRoomMs(window, max) - EPOCH_MS)).toEqual([61_000, 71_000, 81_000]);
  });
});

describe("a window after the clock went back", () => {
  it("R5 counts starts into its newest slot within its length, and forgets them beyond it", () => {
    const full = windowAt(emptyWindow(10), 10, EPOCH_MS);
    addStart(full);
    expect(roomIn(windowAt(full, 10, EPOCH_MS - 9_000), 1)).toBe(0);
    const back = windowAt(full, 10, EPOCH_MS - 3_600_000);
    expect(roomIn(back, 1)).toBe(1);
    addStart(back);
    expect(nextRoomMs(back, 1)).toBeLessThanOrEqual(EPOCH_MS - 3_600_000 + 10_167);
  });
});

describe("a window whose length was changed", () => {
  it("R5 counts all known starts as just started", () => {
    let window = windowAt(emptyWindow(60), 60, EPOCH_MS);
    addStart(window);
    window = windowAt(window, 60, EPOCH_MS + 30_000);
    addStart(window);
    const changed = windowAt(window, 10, EPOCH_MS + 40_000);
    expect(changed.window_secs).toBe(10);
    expect([2, 3].map((max) => roomIn(changed, max))).toEqual([0, 1]);
    expect(roomIn(windowAt(changed, 10, EPOCH_MS + 49_999), 2)).toBe(0);
    expect(roomIn(windowAt(changed, 10, EPOCH_MS + 50_167), 2)).toBe(2);
  });

  it("R5 does not count starts that had left the old one", () => {
    const window = windowAt(emptyWindow(1), 1, EPOCH_MS);
    addStart(window);
    expect(roomIn(windowAt(window, 3_600, EPOCH_MS + 5_000), 1)).toBe(1);
  });

  it("R5 admits no more than the new limit in any new window after it", () => {
    fc.assert(
      fc.property(scenario, fc.integer({ min: 1, max: 100 }), ({ max, window_secs, times }, changedSecs) => {
        let window = emptyWindow(window_secs);
        const starts: number[] = [];
        const half = Math.floor(times.length / 2);
        times.forEach((at, index) => {
          const secs = index < half ? window_secs : changedSecs;
          window = windowAt(window, secs, at);
          if (roomIn(window, max) === 0) return;
          addStart(window);
          if (index >= half) starts.push(at);
        });
        for (const at of starts) expect(since(starts, at - changedSecs * 1_000, at)).toBeLessThanOrEqual(max);
      }),
    );
  });
});

describe("a clock that went back", () => {
  it("R5 admits no extra starts: they count into the newest slot", () => {
    let window = windowAt(emptyWindow(60), 60, EPOCH_MS + 60_000);
    addStart(window);
    window = windowAt(window, 60, EPOCH_MS);
    expect(roomIn(window, 1)).toBe(0);
    addStart(window);
    expect(roomIn(windowAt(window, 60, EPOCH_MS + 119_999), 2)).toBe(0);
    expect(roomIn(windowAt(window, 60, EPOCH_MS + 121_000), 2)).toBe(2);
  });
});

it("reading a window does not change it", () => {
  const window = windowAt(emptyWindow(60), 60, EPOCH_MS);
  addStart(window);
  const kept = structuredClone(window);
  windowAt(window, 60, EPOCH_MS + 5_000);
  windowAt(window, 10, EPOCH_MS + 5_000);
  roomIn(window, 5);
  nextRoomMs(window, 1);
  expect(window).toEqual(kept);
});
