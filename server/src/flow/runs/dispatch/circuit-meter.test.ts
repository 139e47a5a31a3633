import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../../test/seed/seed.ts";
import { isSuccess, openCircuitMeter } from "./circuit-meter.ts";
import type { Outcome } from "./outcome.ts";

fc.configureGlobal({ seed: testSeed("circuit-meter") });

const LANE = "p host:80";

/** Records outcomes one after the other, a millisecond apart; returns those at which the host counted as failing. */
function recordAll(outcomes: boolean[], meter = openCircuitMeter(), fromMs = 0): boolean[] {
  return outcomes.map((isGood, index) => meter.record(LANE, isGood, fromMs + index));
}
const times = (count: number, isGood: boolean) => Array.from({ length: count }, () => isGood);

describe("a failing host", () => {
  it("R1 opens its circuit at the 20th failure in a row, and at each further one", () => {
    expect(recordAll(times(22, false)).map(Number).join("")).toBe(`${"0".repeat(19)}111`);
  });

  it("R1 keeps its circuit closed while there is an occasional success", () => {
    const mixed = [...times(19, false), true, ...times(19, false)];
    expect(recordAll(mixed).slice(0, 38)).not.toContain(true);
  });

  it("R1 opens its circuit when more than half of at least 50 in 30 s failed", () => {
    const alternating = Array.from({ length: 49 }, (_, index) => index % 2 === 0);
    const meter = openCircuitMeter();
    expect(recordAll(alternating, meter)).not.toContain(true);
    expect(meter.record(LANE, false, 100)).toBe(false);
    expect(meter.record(LANE, false, 101)).toBe(true);
  });

  it("R1 keeps its circuit closed when half of them failed, or of fewer than 50", () => {
    const half = Array.from({ length: 1_000 }, (_, index) => index % 2 === 0);
    expect(recordAll(half)).not.toContain(true);
    const few = Array.from({ length: 49 }, (_, index) => index % 4 === 0);
    expect(recordAll(few)).not.toContain(true);
  });

  it("R1 ignores outcomes older than 30 s", () => {
    const mostlyBad = Array.from({ length: 48 }, (_, index) => index % 4 === 0);
    const meter = openCircuitMeter();
    recordAll(mostlyBad, meter);
    expect(recordAll([false, false, false], meter, 31_000)).not.toContain(true);
    const soon = openCircuitMeter();
    recordAll(mostlyBad, soon);
    expect(recordAll([false, false, false], soon, 28_000)).toContain(true);
  });

  it("R1 never has its circuit opened by a success", () => {
    const meter = openCircuitMeter();
    recordAll(times(60, false), meter);
    expect(meter.record(LANE, true, 61)).toBe(false);
  });

  it("R1 is measured separately from other hosts", () => {
    const meter = openCircuitMeter();
    for (let n = 0; n < 19; n++) meter.record("p other:80", false, n);
    expect(meter.record(LANE, false, 20)).toBe(false);
    expect(meter.record("p other:80", false, 21)).toBe(true);
  });

  it("R1 starts from zero after it is forgotten", () => {
    const meter = openCircuitMeter();
    recordAll(times(60, false), meter);
    meter.reset(LANE);
    expect(recordAll(times(19, false), meter, 100)).not.toContain(true);
  });

  it("R1 agrees with a count over all recorded outcomes", () => {
    const noted = fc.array(fc.record({ isGood: fc.boolean(), stepMs: fc.nat(900) }), { maxLength: 200 });
    fc.assert(
      fc.property(noted, (notes) => {
        const meter = openCircuitMeter();
        const seen: { isGood: boolean; second: number }[] = [];
        let now = 0;
        for (const { isGood, stepMs } of notes) {
          now += stepMs;
          seen.push({ isGood, second: Math.floor(now / 1_000) });
          const recent = seen.filter(({ second }) => second > Math.floor(now / 1_000) - 30);
          const bad = recent.filter((each) => !each.isGood).length;
          const isRow = seen.length >= 20 && seen.slice(-20).every((each) => !each.isGood);
          const isBroken = !isGood && (isRow || (recent.length >= 50 && bad / recent.length > 0.5));
          expect(meter.record(LANE, isGood, now)).toBe(isBroken);
        }
      }),
    );
  });
});

describe("which outcomes count against a host", () => {
  const error = { code: "x", message: "x" };
  it.each<[boolean | undefined, Outcome]>([
    [true, { kind: "completed", result_json: "1", http_status: 200 }],
    [true, { kind: "accepted", http_status: 202 }],
    [true, { kind: "failed", retryable: false, error, http_status: 404 }],
    [true, { kind: "failed", retryable: true, error, http_status: 429 }],
    [true, { kind: "failed", retryable: false, error, http_status: 301 }],
    [true, { kind: "failed", retryable: true, error: { code: "result_invalid", message: "x" }, http_status: 200 }],
    [false, { kind: "failed", retryable: true, error, http_status: 500 }],
    [false, { kind: "failed", retryable: true, error, http_status: 503 }],
    [false, { kind: "failed", retryable: true, error: { code: "endpoint_connect", message: "x" } }],
    [false, { kind: "timed_out" }],
    [undefined, { kind: "failed", retryable: false, error: { code: "endpoint_refused_address", message: "x" } }],
    [undefined, { kind: "failed", retryable: false, error: { code: "payload_too_large", message: "x" } }],
    [undefined, { kind: "drained" }],
  ])("R1 %s for %j", (isGood, outcome) => expect(isSuccess(outcome)).toBe(isGood));
});
