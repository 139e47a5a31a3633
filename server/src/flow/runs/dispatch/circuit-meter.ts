import type { Outcome } from "./outcome.ts";

const MAX_CONSECUTIVE_FAILURES = 20;
const MIN_COUNTED = 50;
const MAX_SHARE = 0.5;
const WINDOW_SECS = 30;

type Second = { second: number; good: number; bad: number };
type Meter = { consecutiveFailures: number; seconds: Second[] };

export type CircuitMeter = {
  /** Records how a dispatch ended. True: this host has failed enough to open its circuit. */
  record: (lane: string, isGood: boolean, nowMs: number) => boolean;
  reset: (lane: string) => void;
};

/**
 * Tracks the health of the hosts this instance dispatches to. Counts are per instance; an open circuit applies to all
 * instances.
 */
export function openCircuitMeter(): CircuitMeter {
  const meters = new Map<string, Meter>();
  return {
    record: (lane, isGood, nowMs) => {
      const meter = meters.get(lane) ?? { consecutiveFailures: 0, seconds: [] };
      meters.set(lane, meter);
      meter.consecutiveFailures = isGood ? 0 : meter.consecutiveFailures + 1;
      const now = currentSecond(meter, Math.floor(nowMs / 1_000));
      if (isGood) now.good++;
      else now.bad++;
      return !isGood && (meter.consecutiveFailures >= MAX_CONSECUTIVE_FAILURES || hasMostlyFailed(meter));
    },
    reset: (lane) => meters.delete(lane),
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
