import { AUTO_PROMOTE_DEFAULTS } from "@millrace/contract/canaries";
import { describe, expect, it } from "vitest";
import { judgeCanary } from "./judge-canary.ts";

const CONFIG = { ...AUTO_PROMOTE_DEFAULTS, steps: [10, 25, 50, 100], min_runs: 20 };

/** Mulberry32: the same numbers in every run of the test. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Rates = { source: number; target: number; share: number; most: number };

/** Runs end one after another, and the canary is judged after each. Answers the target's runs at its rollback. */
function runsUntilRollback(random: () => number, { source, target, share, most }: Rates): number {
  const seen = { source: { good: 0, bad: 0 }, target: { good: 0, bad: 0 } };
  for (let runs = 0; runs < most; ) {
    const isTarget = random() < share;
    const tally = isTarget ? seen.target : seen.source;
    if (random() < (isTarget ? target : source)) tally.bad++;
    else tally.good++;
    if (isTarget) runs++;
    const evidence = { ...seen, traffic_pct: share * 100, share_secs: 0, share_runs: runs, slow: null };
    if (judgeCanary(CONFIG, evidence).kind === "roll_back") return runs;
  }
  return Number.POSITIVE_INFINITY;
}

function repeat(times: number, rates: Rates): number[] {
  const random = seeded(42);
  return Array.from({ length: times }, () => runsUntilRollback(random, rates)).sort((a, b) => a - b);
}

describe("a canary that is judged after every run", () => {
  it.each([0.1, 0.5])(
    "W10 at a share of %d, where one in 20 failed and now three do: the median rollback is within 120 runs",
    (share) => {
      const rollbacks = repeat(101, { source: 0.05, target: 0.15, share, most: 400 });
      expect(rollbacks[50]).toBeGreaterThanOrEqual(20);
      expect(rollbacks[50]).toBeLessThanOrEqual(120);
    },
  );

  it.each([
    [0.05, 0.25],
    [0.05, 0.5],
  ])("W10 equals that fail at %d, at a share of %d: at most one in 20 is rolled back", (rate, share) => {
    const rollbacks = repeat(300, { source: rate, target: rate, share, most: 300 });
    expect(rollbacks.filter(Number.isFinite).length / 300).toBeLessThanOrEqual(0.05);
  });
});
