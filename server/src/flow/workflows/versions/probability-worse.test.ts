import { describe, expect, it } from "vitest";
import { probabilityWorse } from "./probability-worse.ts";

/**
 * Simpson's rule over the source's rate, with the target's whole distribution summed again for each: slow and simple.
 */
function oracle(source: [number, number], target: [number, number], allowed = 0): number {
  const steps = 2_000;
  const density = ([good, bad]: [number, number], angle: number) =>
    Math.exp(2 * bad * Math.log(Math.sin(angle)) + 2 * good * Math.log(Math.cos(angle)));
  const width = Math.PI / 2 / steps;
  const angles = Array.from({ length: steps }, (_, nth) => (nth + 0.5) * width);
  const ofSource = angles.map((angle) => density(source, angle));
  const ofTarget = angles.map((angle) => density(target, angle));
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const above = angles.map((angle) => {
    const limit = Math.sin(angle) ** 2 + allowed;
    if (limit >= 1) return 0;
    const from = Math.asin(Math.sqrt(limit)) / width;
    const whole = Math.floor(from);
    const first = (ofTarget[whole] ?? 0) * (1 - (from - whole));
    return first + sum(ofTarget.slice(whole + 1));
  });
  return sum(ofSource.map((weight, nth) => weight * (above[nth] as number))) / (sum(ofSource) * sum(ofTarget));
}

const CASES: [[number, number], [number, number], number][] = [
  [[95, 5], [85, 15], 0],
  [[20, 0], [18, 2], 0],
  [[900, 9], [50, 0], 0],
  [[100, 0], [100, 0], 0],
  [[0, 30], [5, 25], 0],
  [[190, 10], [80, 20], 0.05],
  [[190, 10], [95, 5], 0.05],
  [[1, 0], [0, 1], 0],
];

describe("the probability that the target is worse", () => {
  it.each(CASES)(
    "W10 of %j against %j with %d allowed is that of the Beta distributions",
    (source, target, allowed) => {
      const tally = ([good, bad]: [number, number]) => ({ good, bad });
      const found = probabilityWorse(tally(source), tally(target), allowed);
      const expected = oracle(source, target, allowed);
      expect(Math.abs(found - expected)).toBeLessThan(0.002);
      // Near 1, where rollbacks are decided, the remaining probability is accurate to 5 %.
      if (expected > 0.9) expect(Math.abs(found - expected)).toBeLessThan(0.05 * (1 - expected) + 1e-6);
    },
  );

  it("W10 is one half for equal versions, and stays between 0 and 1 for any numbers", () => {
    for (const runs of [0, 1, 7, 100, 10_000]) {
      const same = { good: runs, bad: Math.floor(runs / 20) };
      expect(probabilityWorse(same, same)).toBeCloseTo(0.5, 2);
    }
    for (const [good, bad] of [
      [0, 0],
      [1e6, 0],
      [0, 1e6],
      [5e5, 5e5],
    ] as const) {
      for (const other of [
        { good: 0, bad: 0 },
        { good: 1, bad: 1 },
        { good: 1e6, bad: 1 },
      ]) {
        const found = probabilityWorse({ good, bad }, other);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(1);
      }
    }
  });
});
