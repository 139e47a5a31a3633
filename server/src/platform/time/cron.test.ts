import { describe, expect, it } from "vitest";
import { firesIn, randomExpressions, walkClock } from "../../../test/oracles/cron-oracle.ts";
import { testSeed } from "../../../test/seed/seed.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { cronIssues, firesAfter, nextFire, nextFires } from "./cron.ts";

describe("a cron expression", () => {
  it.each([
    "* * * * *",
    "*/15 9-17 * * 1-5",
    "30 * * * * *",
    "0 0 L * *",
    "0 0 15W * *",
    "0 12 * * MON#1",
    "0 0 29 2 *",
    "0 0 29 2 +MON",
    "@hourly",
    "@daily",
    "  0   6 * * * ",
  ])("R16 may be %s", (expression) => {
    expect(cronIssues(expression, "UTC")).toEqual([]);
    expect(nextFire(expression, "UTC", "2030-01-01T00:00:00Z")).toMatch(/^\d{4}-.*:00\.000Z$|:30\.000Z$/);
  });

  it.each([
    ["", "has 1 fields; it needs five, or six with the seconds first"],
    ["* * * *", "has 4 fields; it needs five, or six with the seconds first"],
    ["0 0 0 1 1 * 2030", "has 7 fields; it needs five, or six with the seconds first"],
    ["60 * * * *", "is not a cron expression: Invalid value for minute: 60"],
    ["0 0 32 * *", "is not a cron expression: Invalid value for day: 32"],
    ["0 0 0 * *", "is not a cron expression: Invalid value for day: 0"],
    ["0 0 * 13 *", "is not a cron expression: Invalid value for month: 13"],
    ["a b c d e", "is not a cron expression: configuration entry 1 (a) contains illegal characters."],
    ["@reboot", "is not a cron expression: there is no such name"],
    ["@every 5m", "is not a cron expression: there is no such name"],
    ["@2030-01-01T00:00:00", "is not a cron expression"],
    ["2030-01-01T00:00:00 * * * *", "is not a cron expression"],
    ["0 0 30 2 *", "never fires: there is no such day"],
    ["0 0 31 4,6,9,11 *", "never fires: there is no such day"],
    ["0 0 31W 2 *", "never fires: there is no such day"],
  ])("R16 is refused when it is %j", (expression, message) => {
    expect(cronIssues(expression, "UTC")).toEqual([{ field: "cron", message }]);
  });

  it.each(["", "Mars/Olympus", "+02:00", "UTC+2", "local", "Europe/Berlin ", "__proto__"])(
    "R16 is refused in the zone %j",
    (timezone) => {
      expect(cronIssues("* * * * *", timezone)).toMatchObject([{ field: "timezone" }]);
      expect(nextFires("* * * * *", timezone, "2030-01-01T00:00:00Z", 1)).toEqual([]);
    },
  );

  it("R16 accepts every zone of the list, in any case", () => {
    const zones = Intl.supportedValuesOf("timeZone");
    expect(zones.length).toBeGreaterThan(400);
    for (const zone of [...zones, "utc", "Utc", "europe/berlin", "US/Eastern"])
      expect(cronIssues("0 0 * * *", zone), zone).toEqual([]);
  });

  it("R16 fires after the given instant, never at it", () => {
    const at = (afterIso: string) => nextFire("*/5 * * * *", "UTC", afterIso);
    expect(at("2030-01-01T00:00:00.000Z")).toBe("2030-01-01T00:05:00.000Z");
    expect(at("2030-01-01T00:04:59.999Z")).toBe("2030-01-01T00:05:00.000Z");
    expect(at("2030-01-01T00:05:00.001Z")).toBe("2030-01-01T00:10:00.000Z");
  });

  it("R16 that is invalid never fires", () => {
    expect(nextFire("nonsense", "UTC", "2030-01-01T00:00:00Z")).toBeNull();
    expect([...firesAfter("0 0 30 2 *", "UTC", "2030-01-01T00:00:00Z")]).toEqual([]);
  });
});

describe("a time skipped by a clock change", () => {
  it.each([
    ["30 2 * * *", "Europe/Berlin", "2030-03-30T12:00:00Z", ["2030-03-31T01:00:00.000Z", "2030-04-01T00:30:00.000Z"]],
    ["0,30 2 * * *", "Europe/Berlin", "2030-03-30T12:00:00Z", ["2030-03-31T01:00:00.000Z", "2030-04-01T00:00:00.000Z"]],
    [
      "30 2 * * *",
      "America/New_York",
      "2030-03-09T12:00:00Z",
      ["2030-03-10T07:00:00.000Z", "2030-03-11T06:30:00.000Z"],
    ],
    [
      "15 2 * * *",
      "Australia/Lord_Howe",
      "2030-10-05T12:00:00Z",
      ["2030-10-05T15:30:00.000Z", "2030-10-06T15:15:00.000Z"],
    ],
    ["30 0 * * *", "Africa/Cairo", "2024-04-25T12:00:00Z", ["2024-04-25T22:00:00.000Z", "2024-04-26T21:30:00.000Z"]],
    ["* 2 * * *", "Europe/Berlin", "2030-03-30T12:00:00Z", ["2030-03-31T01:00:00.000Z", "2030-04-01T00:00:00.000Z"]],
  ])("R16 fires once, at the first instant after: %s in %s", (expression, timezone, after, expected) => {
    expect(nextFires(expression, timezone, after, 2)).toEqual(expected);
  });

  it("R16 fires once, together with other times due at that instant", () => {
    expect(nextFires("*/30 * * * *", "Europe/Berlin", "2030-03-31T00:00:00Z", 4)).toEqual([
      "2030-03-31T00:30:00.000Z",
      "2030-03-31T01:00:00.000Z",
      "2030-03-31T01:30:00.000Z",
      "2030-03-31T02:00:00.000Z",
    ]);
  });
});

describe("an hour repeated by a clock change", () => {
  it.each([
    ["30 2 * * *", "Europe/Berlin", "2030-10-26T12:00:00Z", ["2030-10-27T00:30:00.000Z", "2030-10-28T01:30:00.000Z"]],
    [
      "30 1 * * *",
      "America/New_York",
      "2030-11-02T12:00:00Z",
      ["2030-11-03T05:30:00.000Z", "2030-11-04T06:30:00.000Z"],
    ],
    [
      "45 1 * * *",
      "Australia/Lord_Howe",
      "2030-04-06T12:00:00Z",
      ["2030-04-06T14:45:00.000Z", "2030-04-07T15:15:00.000Z"],
    ],
    ["0 * * * *", "Europe/Berlin", "2030-10-27T00:00:00Z", ["2030-10-27T02:00:00.000Z", "2030-10-27T03:00:00.000Z"]],
    ["*/40 * * * *", "Europe/Berlin", "2030-10-27T00:00:00Z", ["2030-10-27T00:40:00.000Z", "2030-10-27T02:00:00.000Z"]],
  ])("R16 fires only the first time: %s in %s", (expression, timezone, after, expected) => {
    expect(nextFires(expression, timezone, after, 2)).toEqual(expected);
  });

  it("R16 has no time left in its second occurrence", () => {
    for (const after of ["2030-10-27T01:00:00Z", "2030-10-27T01:29:30Z", "2030-10-27T01:59:59.999Z"])
      expect(nextFire("* * * * * *", "Europe/Berlin", after)).toBe("2030-10-27T02:00:00.000Z");
  });
});

/** Clock changes of a year: at night, by half an hour, at midnight. */
const CHANGES: Record<string, string[]> = {
  "Europe/Berlin": ["2030-03-31T01:00:00Z", "2030-10-27T01:00:00Z"],
  "America/New_York": ["2030-03-10T07:00:00Z", "2030-11-03T06:00:00Z"],
  "Australia/Lord_Howe": ["2030-04-06T15:00:00Z", "2030-10-05T15:30:00Z"],
  "Africa/Cairo": ["2024-04-25T22:00:00Z", "2024-10-31T21:00:00Z"],
};

const MANY = sizeOf(60, 500);

describe(`${MANY} expressions in four zones`, { timeout: 180_000 }, () => {
  const expressions = randomExpressions(MANY, testSeed("cron"));
  const shifted = (iso: string, hours: number) => new Date(Date.parse(iso) + hours * 3_600_000).toISOString();

  it.each(Object.entries(CHANGES))(
    "R16 fire in %s at the minutes that an exhaustive scan finds",
    (timezone, changes) => {
      let compared = 0;
      for (const change of changes) {
        const near = walkClock(timezone, shifted(change, -2), shifted(change, 3));
        expect(
          near.some((minute) => minute.isRepeat || minute.skipped.length > 0),
          `${timezone} ${change}`,
        ).toBe(true);
        const around = walkClock(timezone, shifted(change, -12), shifted(change, 12));
        for (const expression of expressions) {
          const expected = firesIn(near, expression);
          expect(firesUntil(expression, timezone, near), `${expression} ${change}`).toEqual(expected);
          const beyond = shifted(change, 12);
          const next = nextFire(expression, timezone, shifted(change, -12.001)) ?? "never";
          expect(next <= beyond ? next : "later", expression).toBe(firesIn(around, expression)[0] ?? "later");
          compared += expected.length;
        }
      }
      expect(compared).toBeGreaterThan(MANY);
    },
  );

  function firesUntil(expression: string, timezone: string, minutes: { instant: string }[]): string[] {
    const [first, last] = [minutes[0]?.instant ?? "", minutes.at(-1)?.instant ?? ""];
    const fires: string[] = [];
    for (const fire of firesAfter(expression, timezone, shifted(first, -0.001))) {
      if (fire > last) break;
      fires.push(fire);
    }
    return fires;
  }
});
