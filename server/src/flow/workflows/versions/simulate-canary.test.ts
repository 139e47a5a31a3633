import { describe, expect, it } from "vitest";
import { simulateCanaries } from "../../../../test/oracles/simulate-canary.ts";

/** A few simulations at one share. The soak suite `canaries` runs many, at several shares. */
describe("a canary evaluated after every run", () => {
  it("W10 is rolled back within 120 runs in the median when failures rise from 1 in 20 to 3 in 20", () => {
    const rollbacks = simulateCanaries(31, { source: 0.05, target: 0.15, share: 0.5, max: 400 });
    expect(rollbacks[15]).toBeGreaterThanOrEqual(20);
    expect(rollbacks[15]).toBeLessThanOrEqual(120);
  });

  it("W10 is rolled back in at most 1 of 20 cases if both versions are equally good", () => {
    const rollbacks = simulateCanaries(60, { source: 0.05, target: 0.05, share: 0.5, max: 300 });
    expect(rollbacks.filter(Number.isFinite).length / 60).toBeLessThanOrEqual(0.05);
  });
});
