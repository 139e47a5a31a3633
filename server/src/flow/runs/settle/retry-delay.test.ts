import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testSeed } from "../../../../test/seed/seed.ts";
import type { RetryRule } from "../create/job-version.ts";
import { retryDelaySecs } from "./plan-settle.ts";

fc.configureGlobal({ seed: testSeed("retry-delay") });

const rule = (retry_strategy: RetryRule["retry_strategy"], retry_delays_secs: number[] | null = null): RetryRule => ({
  retry_strategy,
  retry_delays_secs,
});

afterEach(() => void vi.restoreAllMocks());

/** The delays of the first tries, without jitter. */
function plainDelays(given: RetryRule, tries: number, retryAfter?: number): number[] {
  vi.spyOn(Math, "random").mockReturnValue(0);
  return Array.from({ length: tries }, (_, n) => retryDelaySecs(given, n + 1, retryAfter));
}

describe("the delay before a retry", () => {
  it("R1 exponential doubles from a second, up to an hour", () => {
    expect(plainDelays(rule("exponential"), 14)).toEqual([
      ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048],
      ...[3_600, 3_600],
    ]);
    expect(retryDelaySecs(rule("exponential"), 100)).toBeLessThanOrEqual(3_600 * 1.2);
  });

  it("R1 linear is a second more each time", () => {
    expect(plainDelays(rule("linear"), 5)).toEqual([1, 2, 3, 4, 5]);
    expect(plainDelays(rule("linear"), 5_000).at(-1)).toBe(3_600);
  });

  it("R1 fixed is a second", () => {
    expect(plainDelays(rule("fixed"), 4)).toEqual([1, 1, 1, 1]);
  });

  it("R1 custom is as the job defines it, the last repeated", () => {
    expect(plainDelays(rule("custom", [0, 5, 86_400]), 5)).toEqual([0, 5, 86_400, 86_400, 86_400]);
    expect(plainDelays(rule("custom", [3]), 3)).toEqual([3, 3, 3]);
  });

  it("R1 is at least the endpoint's Retry-After, up to an hour", () => {
    expect(plainDelays(rule("fixed"), 2, 30)).toEqual([30, 30]);
    expect(plainDelays(rule("exponential"), 6, 10)).toEqual([10, 10, 10, 10, 16, 32]);
    expect(plainDelays(rule("fixed"), 1, 999_999)).toEqual([3_600]);
    expect(plainDelays(rule("custom", [7_200]), 1, 999_999)).toEqual([7_200]);
  });

  it("R1 has up to a fifth added, and is never shortened", () => {
    const strategies = fc.constantFrom("exponential", "linear", "fixed", "custom");
    fc.assert(
      fc.property(strategies, fc.integer({ min: 1, max: 200 }), fc.nat(5_000), (strategy, tries, retryAfter) => {
        const given = rule(strategy, strategy === "custom" ? [2, 60] : null);
        const [least = 0] = plainDelays(given, tries, retryAfter).slice(-1);
        vi.restoreAllMocks();
        const delay = retryDelaySecs(given, tries, retryAfter);
        expect(delay).toBeGreaterThanOrEqual(least);
        expect(delay).toBeLessThanOrEqual(least * 1.2);
      }),
    );
  });

  it("R1 spreads: of runs that failed together few come back together", () => {
    const delays = Array.from({ length: 1_000 }, () => retryDelaySecs(rule("fixed"), 1));
    expect(Math.max(...delays)).toBeGreaterThan(1.19);
    expect(Math.min(...delays)).toBeLessThan(1.01);
    expect(new Set(delays.map((delay) => delay.toFixed(3))).size).toBeGreaterThan(150);
  });
});
