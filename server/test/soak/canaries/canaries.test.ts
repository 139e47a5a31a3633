import { describe, expect, it } from "vitest";
import { routesToTarget } from "../../../src/flow/workflows/start/route-canary.ts";
import { simulateCanaries } from "../../oracles/simulate-canary.ts";

const KEYS = 100_000;
const SHARES = [1, 5, 10, 25, 50, 90];

describe("canary routing", () => {
  it("W10 splits 100,000 keys within half a point, and never moves a key back when the share is raised", () => {
    const id = "01890000-0000-7000-8000-000000000000"; // by chance, one id of 500 splits them worse
    const keys = Array.from({ length: KEYS }, (_, nth) => `customer-${nth}`);
    let before = new Set<string>();
    for (const traffic_pct of SHARES) {
      const target = new Set(keys.filter((key) => routesToTarget({ id, traffic_pct }, key)));
      expect(Math.abs((target.size / KEYS) * 100 - traffic_pct), `${traffic_pct} %`).toBeLessThan(0.5);
      expect([...before].filter((key) => !target.has(key))).toEqual([]);
      before = target;
    }
  });
});

describe("a canary that is judged after every run", () => {
  it.each([0.1, 0.5])(
    "W10 at a share of %d, rolls back within 120 runs in the median when failures rise from 1 in 20 to 3 in 20",
    (share) => {
      const rollbacks = simulateCanaries(101, { source: 0.05, target: 0.15, share, max: 400 });
      expect(rollbacks[50]).toBeGreaterThanOrEqual(20);
      expect(rollbacks[50]).toBeLessThanOrEqual(120);
    },
  );

  it.each([
    [0.05, 0.25],
    [0.05, 0.5],
  ])("W10 rolls back at most one in 20 of equal versions that fail at %d, at a share of %d", (rate, share) => {
    const rollbacks = simulateCanaries(300, { source: rate, target: rate, share, max: 300 });
    expect(rollbacks.filter(Number.isFinite).length / 300).toBeLessThanOrEqual(0.05);
  });
});
