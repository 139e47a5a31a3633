import type { Outcome } from "./outcome.ts";

const MAX_IN_A_ROW = 20;
const MIN_COUNTED = 50;
const MAX_SHARE = 0.5;
const WINDOW_SECS = 30;

type Second = { second: number; good: number; bad: number };
type Meter = { badInARow: number; seconds: Second[] };

export type CircuitMeter = {
  /** Records how a dispatch ended. True: this host has failed enough to open its circuit. */
  note: (lane: string, isGood: boolean, nowMs: number) => boolean;
  forget: (lane: string) => void;
};

/**
 * Tracks the health of the hosts this instance dispatches to. Counts are per instance; an open circuit applies to all
 * instances.
 */
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
      return !isGood && (meter.badInARow >= MAX_IN_A_ROW || hasMostlyFailed(meter));
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

function hasMostlyFailed({ seconds }: Meter): boolean {
  let [good, bad] = [0, 0];
  for (const each of seconds) {
    good += each.good;
    bad += each.bad;
  }
  return good + bad >= MIN_COUNTED && bad / (good + bad) > MAX_SHARE;
}

/**
 * Lost connections, timeouts and 5xx count as failures; any other response counts as success. Undefined: neither, such
 * as a connection that could not be made (`unreachable-hosts.ts`).
 */
export function isSuccess(outcome: Outcome): boolean | undefined {
  if (outcome.kind === "drained" || outcome.kind === "unreachable") return undefined;
  if (outcome.kind === "timed_out") return false;
  if (outcome.http_status !== undefined) return outcome.http_status < 500;
  return outcome.kind !== "failed" || !outcome.retryable ? undefined : false;
}
