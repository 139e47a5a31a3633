import type { AutoPromoteConfig } from "@millrace/contract/workflows/canaries";
import { probabilityWorse, type Tally } from "./probability-worse.ts";

/** The data for one evaluation of a canary. */
export type CanaryEvidence = {
  traffic_pct: number;
  /** Since the share was last changed, and the target's runs that started and ended since. */
  share_secs: number;
  share_runs: number;
  source: Tally;
  target: Tally;
  /** Bad runs took longer than the source's p95 plus the allowed excess. Null: not configured. */
  slow: { source: Tally; target: Tally } | null;
};

export type CanaryDecision =
  | { kind: "wait" }
  | { kind: "advance"; traffic_pct: number }
  | { kind: "promote" }
  | { kind: "roll_back"; reason: "failure_rate" | "p95" };

/** The share is not raised while the target is worse with more than this probability. */
const MAX_PROBABILITY_WORSE = 0.8;

/** The decision for a canary according to its configuration. */
export function evaluateCanary(config: AutoPromoteConfig, evidence: CanaryEvidence): CanaryDecision {
  const { source, target, slow } = evidence;
  const allowed = config.max_failure_rate_increase;
  if (isSignificantlyWorse(source, target, config)) return { kind: "roll_back", reason: "failure_rate" };
  if (slow && isSignificantlyWorse(slow.source, slow.target, { ...config, max_failure_rate_increase: 0 })) {
    return { kind: "roll_back", reason: "p95" };
  }
  if (evidence.share_secs < config.interval_secs || evidence.share_runs < config.min_runs) return { kind: "wait" };
  if (looksWorse(source, target, allowed) && probabilityWorse(source, target, allowed) > MAX_PROBABILITY_WORSE)
    return { kind: "wait" };
  const next = config.steps.find((pct) => pct > evidence.traffic_pct);
  return next === undefined ? { kind: "promote" } : { kind: "advance", traffic_pct: next };
}

type Rule = Pick<AutoPromoteConfig, "min_runs" | "max_failure_rate_increase">;

function isSignificantlyWorse(
  source: Tally,
  target: Tally,
  { min_runs, max_failure_rate_increase: allowed }: Rule,
): boolean {
  const runs = target.good + target.bad;
  if (runs < min_runs || !looksWorse(source, target, allowed)) return false;
  const boundary = deviationsAt(runs);
  if (roughDeviations(source, target, allowed) < 0.75 * boundary) return false; // skips the integral
  return 1 - probabilityWorse(source, target, allowed) < upperTail(boundary);
}

/** Without a run of the source there is nothing to compare with. */
function looksWorse(source: Tally, target: Tally, allowed: number): boolean {
  return source.good + source.bad > 0 && rateOf(target) > rateOf(source) + allowed;
}

function rateOf({ good, bad }: Tally): number {
  return bad / (good + bad);
}

/** By how many standard deviations the target is worse: rough, by the arcsine transformation of both rates. */
function roughDeviations(source: Tally, target: Tally, allowed: number): number {
  const angle = (rate: number) => Math.asin(Math.sqrt(Math.min(1, rate)));
  const deviation = Math.sqrt(1 / (source.good + source.bad) + 1 / (target.good + target.bad)) / 2;
  return (angle(rateOf(target)) - angle(rateOf(source) + allowed)) / deviation;
}

/**
 * The fraction of canaries no worse than their source that are rolled back all the same, however often they are
 * evaluated.
 */
const ERROR = 0.05;
/** Where the boundary is tightest, in runs of the target. */
const FOCUS = 15;

/**
 * How many standard deviations count as worse. The target is evaluated after every run, and any fixed limit would be
 * exceeded eventually, so this one grows with the runs: the normal-mixture boundary (Robbins 1970). If both versions
 * are equally good, the probability of ever crossing it is `ERROR`.
 */
function deviationsAt(runs: number): number {
  const spread = runs + FOCUS;
  return Math.sqrt((spread / runs) * Math.log(spread / (FOCUS * (2 * ERROR) ** 2)));
}

/** Of the normal distribution, for z ≥ 0: Abramowitz and Stegun 26.2.17, exact to 10^-7. */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const sum = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}
