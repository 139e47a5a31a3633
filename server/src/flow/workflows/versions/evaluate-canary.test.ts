import { AUTO_PROMOTE_DEFAULTS, type AutoPromoteConfig } from "@millrace/contract/workflows/canaries";
import { describe, expect, it } from "vitest";
import { type CanaryEvidence, evaluateCanary } from "./evaluate-canary.ts";
import type { Tally } from "./probability-worse.ts";

const CONFIG: AutoPromoteConfig = { ...AUTO_PROMOTE_DEFAULTS, steps: [10, 25, 50, 100] };
const WELL: CanaryEvidence = {
  traffic_pct: 10,
  share_secs: 300,
  share_runs: 20,
  source: { good: 190, bad: 10 },
  target: { good: 19, bad: 1 },
  slow: null,
};
const BAD = { good: 10, bad: 30 };

const evaluate = (evidence: Partial<CanaryEvidence> = {}, config: Partial<AutoPromoteConfig> = {}) =>
  evaluateCanary({ ...CONFIG, ...config }, { ...WELL, ...evidence });

describe("the automatic decision about a canary", () => {
  it("W10 raises its share through the steps, and promotes it after the last", () => {
    const ways = [10, 25, 50, 100].map((traffic_pct) => evaluate({ traffic_pct }));
    expect(ways).toEqual([
      { kind: "advance", traffic_pct: 25 },
      { kind: "advance", traffic_pct: 50 },
      { kind: "advance", traffic_pct: 100 },
      { kind: "promote" },
    ]);
    expect(evaluate({ traffic_pct: 30 })).toEqual({ kind: "advance", traffic_pct: 50 });
    expect(evaluate({ traffic_pct: 50 }, { steps: [10, 50] })).toEqual({ kind: "promote" });
  });

  it("W10 waits for interval_secs, and for min_runs ended runs of the target at this share", () => {
    expect(evaluate({ share_secs: 299.9 })).toEqual({ kind: "wait" });
    expect(evaluate({ share_runs: 19 })).toEqual({ kind: "wait" });
    expect(evaluate({ share_runs: 19 }, { min_runs: 19 })).toMatchObject({ kind: "advance" });
  });

  it("W10 rolls back at once when the target is certainly worse", () => {
    expect(evaluate({ target: BAD, share_secs: 0 })).toEqual({ kind: "roll_back", reason: "failure_rate" });
    expect(evaluate({ target: BAD }, { min_runs: 41 })).toEqual({ kind: "wait" }); // it looks worse all the same
  });

  it("W10 tolerates max_failure_rate_increase", () => {
    const target = { good: 300, bad: 60 };
    expect(evaluate({ target })).toMatchObject({ kind: "roll_back" });
    expect(evaluate({ target }, { max_failure_rate_increase: 0.15 })).toMatchObject({ kind: "advance" });
  });

  it("W10 does not raise the share while the target looks worse, and does not roll back too soon", () => {
    expect(evaluate({ target: { good: 18, bad: 4 } })).toEqual({ kind: "wait" });
    expect(evaluate({ source: { good: 100, bad: 0 }, target: { good: 19, bad: 1 } })).toEqual({ kind: "wait" });
  });

  it("W10 never rolls back without a run of the source to compare with", () => {
    expect(evaluate({ source: { good: 0, bad: 0 }, target: BAD })).toMatchObject({ kind: "advance" });
  });

  it("W10 max_p95_increase rolls back a target with too many slow runs", () => {
    const source = { good: 190, bad: 10 };
    const slow = (target: Tally) => evaluate({ slow: { source, target } });
    expect(slow(BAD)).toEqual({ kind: "roll_back", reason: "p95" });
    expect(slow({ good: 38, bad: 2 })).toMatchObject({ kind: "advance" });
    expect(slow({ good: 2, bad: 8 })).toMatchObject({ kind: "advance" }); // fewer than min_runs have completed
  });
});
