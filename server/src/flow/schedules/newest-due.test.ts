import { describe, expect, it } from "vitest";
import { cpuTimer } from "../../../test/costs/cpu-time.ts";
import { nextFires } from "../../platform/time/cron.ts";
import { MAX_COUNTED, newestDue } from "./newest-due.ts";

const minutely = { cron: "* * * * *", timezone: "UTC", next_fire_at: "2030-01-01T00:00:00.000Z" };

describe("the time to fire for", () => {
  it("R16 is the due one, if no other has passed", () => {
    const { next_fire_at } = minutely;
    for (const now of ["2030-01-01T00:00:00.000Z", "2030-01-01T00:00:09.500Z", "2030-01-01T00:00:59.999Z"])
      expect(newestDue(minutely, now)).toEqual({ scheduled_for: next_fire_at, missed: 0 });
  });

  it("R16 after an outage is the newest missed one, and the others are counted", () => {
    expect(newestDue(minutely, "2030-01-01T00:01:00.000Z")).toEqual({
      scheduled_for: "2030-01-01T00:01:00.000Z",
      missed: 1,
    });
    expect(newestDue(minutely, "2030-01-01T01:30:30.000Z")).toEqual({
      scheduled_for: "2030-01-01T01:30:00.000Z",
      missed: 90,
    });
  });

  it("R16 is the due one after a delay too short to be an outage, so that no time is skipped", () => {
    const secondly = { ...minutely, cron: "* * * * * *" };
    expect(newestDue(secondly, "2030-01-01T00:00:10.000Z")).toEqual({
      scheduled_for: "2030-01-01T00:00:00.000Z",
      missed: 0,
    });
    expect(newestDue(secondly, "2030-01-01T00:00:10.001Z")).toEqual({
      scheduled_for: "2030-01-01T00:00:10.000Z",
      missed: 10,
    });
  });

  it.each([
    ["* * * * * *", "UTC", "2031-01-01T00:00:00.000Z", "2031-01-01T00:00:00.000Z"],
    ["* * * * * *", "Europe/Berlin", "2030-10-27T01:30:00.000Z", "2030-10-27T00:59:59.000Z"],
    ["*/7 * * * *", "Europe/Berlin", "2030-03-31T01:00:00.000Z", "2030-03-31T01:00:00.000Z"],
    ["*/10 0-6 * * *", "America/New_York", "2030-07-01T23:59:59.999Z", "2030-07-01T10:50:00.000Z"],
    ["0 0-5 * * 1", "UTC", "2035-01-02T12:00:00.000Z", "2035-01-01T05:00:00.000Z"],
  ])("R16 is found at once after a long outage: %s in %s until %s", (cron, timezone, now, scheduled_for) => {
    const due = { cron, timezone, next_fire_at: nextFires(cron, timezone, "2030-01-01T00:00:00Z", 1)[0] ?? "" };
    const spent = cpuTimer();
    expect(newestDue(due, now)).toEqual({ scheduled_for, missed: MAX_COUNTED });
    expect(spent()).toBeLessThan(2_000);
  });
});
