import { describe, expect, it } from "vitest";
import { wallClockOf } from "./wall-clock.ts";

const ms = (iso: string) => Date.parse(iso);
/** March, April, September to November: the zones below change between summer and winter time in them. */
const MONTHS_OF_CHANGES = new Set([2, 3, 8, 9, 10]);

function clockOf(timezone: string) {
  const clock = wallClockOf(timezone);
  if (!clock) throw new Error(`no zone ${timezone}`);
  return clock;
}

describe("the clock of a zone", () => {
  it.each([
    ["Europe/Berlin", "2030-07-01T10:00:00.250Z", "2030-07-01T12:00:00.250Z"],
    ["Europe/Berlin", "2030-01-01T23:30:00.000Z", "2030-01-02T00:30:00.000Z"],
    ["Asia/Kathmandu", "2030-01-01T00:00:00.000Z", "2030-01-01T05:45:00.000Z"],
    ["Pacific/Kiritimati", "2030-01-01T12:00:00.000Z", "2030-01-02T02:00:00.000Z"],
    ["UTC", "2030-01-01T12:00:00.000Z", "2030-01-01T12:00:00.000Z"],
  ])("in %s shows the right time at %s, and maps back", (timezone, instant, shown) => {
    const clock = clockOf(timezone);
    expect(new Date(clock.at(ms(instant))).toISOString()).toBe(shown);
    expect(new Date(clock.instantOf(ms(shown))).toISOString()).toBe(instant);
  });

  it("skips a whole day, which maps to the first instant after it", () => {
    const clock = clockOf("Pacific/Apia");
    expect(new Date(clock.instantOf(ms("2011-12-30T12:00:00Z"))).toISOString()).toBe("2011-12-30T10:00:00.000Z");
    expect(new Date(clock.at(ms("2011-12-30T10:00:00Z"))).toISOString()).toBe("2011-12-31T00:00:00.000Z");
  });

  it("never runs backwards when wall times are mapped in order", () => {
    for (const timezone of ["Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Chatham"]) {
      const clock = clockOf(timezone);
      const backwards: string[] = [];
      let last = Number.NEGATIVE_INFINITY;
      for (let wall = ms("2030-01-01T00:00:00Z"); wall < ms("2031-01-01T00:00:00Z"); wall += 1_800_000) {
        if (!MONTHS_OF_CHANGES.has(new Date(wall).getUTCMonth())) continue;
        const instant = clock.instantOf(wall);
        if (instant < last) backwards.push(new Date(wall).toISOString());
        last = instant;
      }
      expect(backwards, timezone).toEqual([]);
    }
  });

  it("is shared by all spellings of its name, and undefined for an invalid name", () => {
    expect(wallClockOf("EUROPE/BERLIN")).toBe(wallClockOf("Europe/Berlin"));
    for (const name of ["", "Nowhere", "+01:00", "-5", "01:00"]) expect(wallClockOf(name)).toBeUndefined();
  });
});
