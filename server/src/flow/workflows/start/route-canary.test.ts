import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { routesToTarget } from "./route-canary.ts";

/** The soak suite `canaries` uses 100,000 keys, with which each share is met to within half a percentage point. */
const KEYS = 5_000;
const SHARES = [1, 5, 10, 25, 50, 90];
const ID = "01890000-0000-7000-8000-000000000000";

describe("the routing of a canary", () => {
  it("W10 splits keys by the share, and none goes back when it is raised", () => {
    const keys = Array.from({ length: KEYS }, (_, nth) => `customer-${nth}`);
    let before = new Set<string>();
    for (const traffic_pct of SHARES) {
      const target = new Set(keys.filter((key) => routesToTarget({ id: ID, traffic_pct }, key)));
      expect(Math.abs((target.size / KEYS) * 100 - traffic_pct), `${traffic_pct} %`).toBeLessThan(2);
      expect([...before].filter((key) => !target.has(key))).toEqual([]);
      before = target;
    }
  });

  it("W10 takes no key at 0 %, every key at 100 %", () => {
    const keys = Array.from({ length: 2_000 }, (_, nth) => `key-${nth}`);
    expect(keys.some((key) => routesToTarget({ id: ID, traffic_pct: 0 }, key))).toBe(false);
    expect(keys.every((key) => routesToTarget({ id: ID, traffic_pct: 100 }, key))).toBe(true);
  });

  it("W10 is the hash of the canary and the key, the same in every process", () => {
    const expected = Array.from({ length: 200 }, (_, nth) => {
      const hex = createHash("sha256").update(`${ID}:key-${nth}`).digest("hex").slice(0, 12);
      return Number(BigInt(`0x${hex}`) % 10_000n) < 2_500;
    });
    expect(expected.map((_, nth) => routesToTarget({ id: ID, traffic_pct: 25 }, `key-${nth}`))).toEqual(expected);
    expect(expected.filter(Boolean).length).toBeGreaterThan(25);
  });

  it("W10 differs from canary to canary: no key is always the first", () => {
    const other = "01890000-0000-7000-8000-000000000001";
    const keys = Array.from({ length: 5_000 }, (_, nth) => `key-${nth}`);
    const both = keys.filter(
      (key) => routesToTarget({ id: ID, traffic_pct: 10 }, key) && routesToTarget({ id: other, traffic_pct: 10 }, key),
    );
    expect(both.length).toBeGreaterThan(20);
    expect(both.length).toBeLessThan(90); // 50, if they are independent
  });
});
