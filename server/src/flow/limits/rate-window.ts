/**
 * Counts the starts of the last window in 61 slots, each a 60th of it: 60 full ones and the current one. All are
 * counted, so no window exceeds the limit, and at most a sixtieth less is admitted (with 60 slots, 20 were admitted
 * where 10 were allowed).
 */
export type RateWindow = { starts: number[]; last_slot: number; window_secs: number };

export const SLOTS = 61;

export function emptyWindow(window_secs: number): RateWindow {
  return { starts: new Array<number>(SLOTS).fill(0), last_slot: 0, window_secs };
}

/** The window as of now. After a change of length all known starts count as just started: never too many start. */
export function windowAt(window: RateWindow, window_secs: number, nowMs: number): RateWindow {
  const slot = slotAt(nowMs, window_secs);
  if (window.window_secs !== window_secs) {
    const known = windowAt(window, window.window_secs, nowMs);
    const starts = new Array<number>(SLOTS).fill(0);
    starts[SLOTS - 1] = sum(known.starts);
    return { starts, last_slot: slot, window_secs };
  }
  // If the clock went back: a little, counts into the newest slot; beyond the window, nobody knows when the starts were.
  if (window.last_slot - slot > SLOTS) return { ...emptyWindow(window_secs), last_slot: slot };
  const passed = Math.max(0, slot - window.last_slot);
  const kept = passed >= SLOTS ? [] : window.starts.slice(passed);
  const starts = [...kept, ...new Array<number>(SLOTS - kept.length).fill(0)];
  return { starts, last_slot: Math.max(slot, window.last_slot), window_secs };
}

export function roomIn(window: RateWindow, max: number): number {
  return Math.max(0, max - sum(window.starts));
}

export function addStart(window: RateWindow): void {
  window.starts[SLOTS - 1] = (window.starts[SLOTS - 1] ?? 0) + 1;
}

/** When the next start is allowed. */
export function nextRoomMs(window: RateWindow, max: number): number {
  return startMs(roomSlot(window, max), window.window_secs);
}

/**
 * When a start is allowed behind this many others, assuming that each starts as early as possible and then occupies a
 * whole window.
 */
export function nextStartMs(window: RateWindow, max: number, ahead: number): number {
  const slot = roomSlot(window, max - (ahead % max)) + SLOTS * Math.floor(ahead / max);
  return startMs(slot, window.window_secs);
}

/** When the newest slot with starts began: since then a full window is full. Undefined without starts. */
export function newestStartMs(window: RateWindow): number | undefined {
  const index = window.starts.findLastIndex((count) => count > 0);
  return index === -1 ? undefined : startMs(window.last_slot - (SLOTS - 1 - index), window.window_secs);
}

/** As soon as enough of the oldest slots have left the window. */
function roomSlot({ starts, last_slot }: RateWindow, max: number): number {
  let left = sum(starts);
  for (let index = 0; index < SLOTS; index++) {
    left -= starts[index] ?? 0;
    if (left < max) return last_slot + index + 1;
  }
  return last_slot + SLOTS;
}

function slotAt(nowMs: number, window_secs: number): number {
  return Math.floor((nowMs * (SLOTS - 1)) / (window_secs * 1_000));
}

/** The first whole millisecond of a slot: the time is stored in milliseconds, and rounded down it would be early. */
function startMs(slot: number, window_secs: number): number {
  return Math.ceil((slot * window_secs * 1_000) / (SLOTS - 1));
}

function sum(counts: number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
