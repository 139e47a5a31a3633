import type { Outcome } from "./outcome.ts";

const MOST_IN_A_ROW = 20;
const LEAST_COUNTED = 50;
const MOST_SHARE = 0.5;
const WINDOW_SECS = 30;

type Second = { second: number; good: number; bad: number };
type Meter = { badInARow: number; seconds: Second[] };

export type CircuitMeter = {
  /** Notes how a dispatch ended. True: this host has failed enough to be left alone for a while. */
  note: (lane: string, isGood: boolean, nowMs: number) => boolean;
  forget: (lane: string) => void;
};

/** Watches the hosts this instance dispatches to. What is counted here is its own; an open circuit is everybody's. */
export function openCircuitMeter(): CircuitMeter {
  const meters = new Map<string, Meter>();
  return {
    note: (lane, isGood, nowMs) => {
      const meter = meters.get(lane) ?? { badInARow: 0, seconds: [] };
      meters.set(lane, meter);
      meter.badInARow = isGood ? 0 : meter.badInARow + 1;
      const now = currentSecond(meter, Math.floor(nowMs / 1_000));
      if (isGood) now.good++;
      else now.bad++;
      return !isGood && (meter.badInARow >= MOST_IN_A_ROW || isMostlyBad(meter));
    },
    forget: (lane) => meters.delete(lane),
  };
}

function currentSecond(meter: Meter, second: number): Second {
  const last = meter.seconds.at(-1);
  if (last?.second === second) return last;
  const fresh = { second, good: 0, bad: 0 };
  meter.seconds = [...meter.seconds.filter((each) => each.second > second - WINDOW_SECS), fresh];
  return fresh;
}

function isMostlyBad({ seconds }: Meter): boolean {
  let [good, bad] = [0, 0];
  for (const each of seconds) {
    good += each.good;
    bad += each.bad;
  }
  return good + bad >= LEAST_COUNTED && bad / (good + bad) > MOST_SHARE;
}

/** Connection errors, timeouts and 5xx speak against a host; any other answer speaks for it. Undefined: neither. */
export function isGoodFor(outcome: Outcome): boolean | undefined {
  if (outcome.kind === "drained") return undefined;
  if (outcome.kind === "timed_out") return false;
  if (outcome.http_status !== undefined) return outcome.http_status < 500;
  return outcome.kind !== "failed" || !outcome.retryable ? undefined : false;
}
