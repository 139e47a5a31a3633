import { describe, expect, test } from "vitest";
import { MAX_DURATION_SECS, parseDuration } from "./duration.ts";

describe("parseDuration", () => {
  test.each([
    ["1s", 1],
    ["30s", 30],
    ["5m", 300],
    ["1h", 3600],
    ["168h", 604_800],
    ["1h30m", 5400],
    ["1h5s", 3605],
    ["2h3m4s", 7384],
    ["90m", 5400],
    ["87600h", MAX_DURATION_SECS],
  ])("%s is %i seconds", (text, secs) => {
    expect(parseDuration(text)).toEqual({ ok: true, secs });
  });

  test.each([
    [""],
    ["30"],
    ["s"],
    ["0s"],
    ["1h0m"],
    ["-5m"],
    ["+5m"],
    ["1.5h"],
    ["30m1h"],
    ["1h1h"],
    ["1m2m"],
    ["1d"],
    ["500ms"],
    ["1H"],
    ["1h 30m"],
    [" 1h"],
    ["1h\n"],
    ["05m"],
    ["١h"],
    ["1e3s"],
  ])("%j is refused with an example", (text) => {
    expect(parseDuration(text)).toEqual({ ok: false, message: expect.stringContaining("1h30m") });
  });

  test.each([["87601h"], ["87600h1s"], [`${"9".repeat(400)}h`]])("%s is longer than 10 years", (text) => {
    expect(parseDuration(text)).toEqual({ ok: false, message: "must be at most 10 years (87600h)" });
  });
});
