/**
 * The wall clock of a zone. A wall time is represented as the milliseconds at which UTC shows the same digits, so that
 * it can be compared and added to like an instant.
 */
export type WallClock = {
  /** The wall time at an instant. */
  at: (instantMs: number) => number;
  /** The instant of a wall time: the first of two, or the first instant after a skipped one. */
  instantOf: (wallMs: number) => number;
  /** The first wall time that `instantOf` maps after an instant in a repeated hour. */
  endOfRepeat: (firstMs: number, secondMs: number) => number;
};

const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;

const known = new Map<string, WallClock>();

/** Undefined: no such zone. Cached by lower-case name, so there are only as many entries as zones. */
export function wallClockOf(timezone: string): WallClock | undefined {
  const name = timezone.toLowerCase();
  const found = known.get(name) ?? openWallClock(name);
  if (found) known.set(name, found);
  return found;
}

function openWallClock(timezone: string): WallClock | undefined {
  if (timezone === "utc") return { at: (ms) => ms, instantOf: (ms) => ms, endOfRepeat: (_, second) => second };
  const format = formatOf(timezone);
  if (!format) return undefined;
  const at = (instantMs: number) => readClock(format, instantMs);
  const offset = (instantMs: number) => at(instantMs) - instantMs;

  /** The instant at which the clocks change; `fromMs` is before it, `toMs` at it or after. */
  function changeBetween(fromMs: number, toMs: number): number {
    const before = offset(fromMs);
    let [low, high] = [fromMs, toMs];
    while (high - low > SECOND_MS) {
      const middle = wholeSecond((low + high) / 2);
      if (offset(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  }

  return {
    at,
    instantOf: (wallMs) => {
      // No zone is a day away from UTC, so these bracket the instant.
      const asBefore = wallMs - offset(wallMs - DAY_MS);
      if (at(asBefore) === wallMs) return asBefore;
      const asAfter = wallMs - offset(wallMs + DAY_MS);
      return at(asAfter) === wallMs ? asAfter : changeBetween(asAfter, asBefore);
    },
    endOfRepeat: (firstMs, secondMs) => changeBetween(firstMs, secondMs) + offset(firstMs),
  };
}

/** Signs and digits alone would be an offset, not a zone: it has no daylight saving. */
function formatOf(timezone: string): Intl.DateTimeFormat | undefined {
  if (!/^[a-z]/.test(timezone)) return undefined;
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined;
  }
}

/** The digits of `3/17/2030, 18:46:40`; formatToParts takes three times as long. */
function readClock(format: Intl.DateTimeFormat, instantMs: number): number {
  const [month = 0, day, year = 0, hour, minute, second] = (format.format(instantMs).match(/\d+/g) ?? []).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) + (instantMs - wholeSecond(instantMs));
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}
