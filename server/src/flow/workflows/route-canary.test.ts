import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newId } from "../../platform/ids.ts";
import { takesTarget } from "./route-canary.ts";

const KEYS = 100_000;
const SHARES = [1, 5, 10, 25, 50, 90];

describe("the routing of a canary", () => {
  it("W10 100,000 keys are split within half a point, and never go back when the share is raised", () => {
    const id = "01890000-0000-7000-8000-000000000000"; // by chance, one id of 500 splits them worse
    const keys = Array.from({ length: KEYS }, (_, nth) => `customer-${nth}`);
    let before = new Set<string>();
    for (const traffic_pct of SHARES) {
      const target = new Set(keys.filter((key) => takesTarget({ id, traffic_pct }, key)));
      expect(Math.abs((target.size / KEYS) * 100 - traffic_pct), `${traffic_pct} %`).toBeLessThan(0.5);
      expect([...before].filter((key) => !target.has(key))).toEqual([]);
      before = target;
    }
  }, 120_000); // 600,000 hashes

  it("W10 nobody at 0 %, everybody at 100 %", () => {
    const id = newId();
    const keys = Array.from({ length: 20_000 }, (_, nth) => `key-${nth}`);
    expect(keys.some((key) => takesTarget({ id, traffic_pct: 0 }, key))).toBe(false);
    expect(keys.every((key) => takesTarget({ id, traffic_pct: 100 }, key))).toBe(true);
  });

  it("W10 is the hash of the canary and the key, the same in every process", () => {
    const id = "01890000-0000-7000-8000-000000000000";
    const expected = Array.from({ length: 200 }, (_, nth) => {
      const hex = createHash("sha256").update(`${id}:key-${nth}`).digest("hex").slice(0, 12);
      return Number(BigInt(`0x${hex}`) % 10_000n) < 2_500;
    });
    expect(expected.map((_, nth) => takesTarget({ id, traffic_pct: 25 }, `key-${nth}`))).toEqual(expected);
    expect(expected.filter(Boolean).length).toBeGreaterThan(25);
  });

  it("W10 differs from canary to canary: nobody is always the first", () => {
    const [one, other] = [newId(), newId()];
    const keys = Array.from({ length: 20_000 }, (_, nth) => `key-${nth}`);
    const both = keys.filter(
      (key) => takesTarget({ id: one, traffic_pct: 10 }, key) && takesTarget({ id: other, traffic_pct: 10 }, key),
    );
    expect(both.length).toBeGreaterThan(100);
    expect(both.length).toBeLessThan(320); // 200, if they are independent
  });
});
