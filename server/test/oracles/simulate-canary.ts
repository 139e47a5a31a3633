import { AUTO_PROMOTE_DEFAULTS } from "@millrace/contract/workflows/canaries";
import { evaluateCanary } from "../../src/flow/workflows/versions/evaluate-canary.ts";

const CONFIG = { ...AUTO_PROMOTE_DEFAULTS, steps: [10, 25, 50, 100], min_runs: 20 };

/** Mulberry32: the same numbers in every test run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * The failure rates of both versions, the target's share of runs, and the number of its runs that ends the simulation.
 */
type Rates = { source: number; target: number; share: number; max: number };

/** Runs end one after another, and the canary is judged after each. Returns the target's runs at its rollback. */
function runsUntilRollback(random: () => number, { source, target, share, max }: Rates): number {
  const seen = { source: { good: 0, bad: 0 }, target: { good: 0, bad: 0 } };
  for (let runs = 0; runs < max; ) {
    const isTarget = random() < share;
    const tally = isTarget ? seen.target : seen.source;
    if (random() < (isTarget ? target : source)) tally.bad++;
    else tally.good++;
    if (isTarget) runs++;
    const evidence = { ...seen, traffic_pct: share * 100, share_secs: 0, share_runs: runs, slow: null };
    if (evaluateCanary(CONFIG, evidence).kind === "roll_back") return runs;
  }
  return Number.POSITIVE_INFINITY;
}

/** The target's runs at the rollback of each canary, sorted; infinite if it was not rolled back. */
export function simulateCanaries(times: number, rates: Rates): number[] {
  const random = seeded(42);
  return Array.from({ length: times }, () => runsUntilRollback(random, rates)).sort((a, b) => a - b);
}
