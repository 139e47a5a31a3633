import { addStart, nextRoomMs, type RateWindow, roomIn } from "./rate-window.ts";

/** A run that asks for its place under every limit of its job. */
export type Candidate = {
  run_id: string;
  /** Set: it may not start whatever the counters say. */
  refused: string | undefined;
  /** Concurrency counters it needs a slot of, with their limits. */
  slots: { key: string; max: number }[];
  /** Rate windows it is counted in, with their limits. */
  rates: { key: string; max: number }[];
};

/** As locked: changed in place by the decision. */
export type Counters = { active: Map<string, number>; windows: Map<string, RateWindow> };

export type Admission = {
  admitted: { run_id: string; slots: string[] }[];
  /** `reason` is the one limit whose release will bring it back. */
  parked: { run_id: string; reason: string }[];
  /** Windows that runs are parked on, and when each next has room. */
  nextRoomMs: Map<string, number>;
  /** Limits with a free place that somebody was refused past: the place is offered to the next in line. */
  offered: string[];
};

/**
 * Who may start, in order of rank. Concurrency is asked first; all limits are taken together or none, so there is
 * nothing to give back. Pure: the caller holds the locks.
 */
export function admitRuns(candidates: readonly Candidate[], counters: Counters): Admission {
  const admission: Admission = { admitted: [], parked: [], nextRoomMs: new Map(), offered: [] };
  for (const candidate of candidates) {
    const reason = candidate.refused ?? fullSlot(candidate, counters) ?? fullWindow(candidate, counters);
    if (reason === undefined) admit(candidate, counters, admission);
    else park(candidate, reason, counters, admission);
  }
  return admission;
}

function fullSlot({ slots }: Candidate, { active }: Counters): string | undefined {
  return slots.find(({ key, max }) => (active.get(key) ?? 0) >= max)?.key;
}

function fullWindow({ rates }: Candidate, { windows }: Counters): string | undefined {
  return rates.find(({ key, max }) => roomIn(windowOf(windows, key), max) === 0)?.key;
}

function admit({ run_id, slots, rates }: Candidate, { active, windows }: Counters, admission: Admission): void {
  for (const { key } of slots) active.set(key, (active.get(key) ?? 0) + 1);
  for (const { key } of rates) addStart(windowOf(windows, key));
  admission.admitted.push({ run_id, slots: slots.map(({ key }) => key) });
}

function park({ run_id, slots, rates }: Candidate, reason: string, counters: Counters, admission: Admission): void {
  admission.parked.push({ run_id, reason });
  const rate = rates.find(({ key }) => key === reason);
  if (rate) admission.nextRoomMs.set(reason, nextRoomMs(windowOf(counters.windows, reason), rate.max));
  // It may have been unparked for one of these: its turn passes on.
  for (const { key, max } of slots) {
    if (key !== reason && (counters.active.get(key) ?? 0) < max) admission.offered.push(key);
  }
  for (const { key, max } of rates) {
    if (key !== reason && roomIn(windowOf(counters.windows, key), max) > 0) admission.offered.push(key);
  }
}

function windowOf(windows: Map<string, RateWindow>, key: string): RateWindow {
  const window = windows.get(key);
  if (!window) throw new Error(`the window ${key} is not locked`);
  return window;
}
