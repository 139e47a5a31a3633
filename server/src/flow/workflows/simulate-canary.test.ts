import { describe, expect, it } from "vitest";
import { simulateCanaries } from "../../../test/simulate-canary.ts";

/** With few repetitions at one share. The soak suite canaries has many, at several. */
describe("a canary evaluated after every run", () => {
  it("W10 from one failure in 20 to three: the median rollback is within 120 runs", () => {
    const rollbacks = simulateCanaries(31, { source: 0.05, target: 0.15, share: 0.5, max: 400 });
    expect(rollbacks[15]).toBeGreaterThanOrEqual(20);
    expect(rollbacks[15]).toBeLessThanOrEqual(120);
  });

  it("W10 of equals: at most one in 20 is rolled back", () => {
    const rollbacks = simulateCanaries(60, { source: 0.05, target: 0.05, share: 0.5, max: 300 });
    expect(rollbacks.filter(Number.isFinite).length / 60).toBeLessThanOrEqual(0.05);
  });
});
