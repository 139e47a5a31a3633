import { describe, expect, it } from "vitest";
import { agoOf, lengthOf, startsOf, tookOf } from "./times.ts";

describe("times", () => {
  it.each([
    [0, "0ms"],
    [999, "999ms"],
    [1_500, "1.5s"],
    [59_000, "59s"],
    [61_000, "1m01s"],
    [3_600_000, "1h00m"],
    [90_000_000, "25h00m"],
    [172_800_000, "2d"],
  ])("formats %i ms as %s", (ms, text) => {
    expect(lengthOf(ms)).toBe(text);
  });

  it("formats past and future times, and nothing before the start", () => {
    const now = Date.parse("2030-01-01T00:00:10.000Z");
    expect(agoOf("2030-01-01T00:00:00.000Z", now)).toBe("10s ago");
    expect(agoOf("2030-01-01T00:01:10.000Z", now)).toBe("in 1m00s");
    expect(tookOf(null, null, now)).toBe("");
    expect(tookOf("2030-01-01T00:00:00.000Z", null, now)).toBe("10s");
    expect(tookOf("2030-01-01T00:00:20.000Z", null, now)).toBe("0ms");
  });

  it("says that a start in the past is now", () => {
    const now = Date.parse("2030-01-01T00:00:10.000Z");
    expect(startsOf("2030-01-01T00:00:09.995Z", now)).toBe("now");
    expect(startsOf("2030-01-01T00:00:13.000Z", now)).toBe("in 3.0s");
  });
});
