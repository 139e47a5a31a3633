import { describe, expect, it } from "vitest";
import { ApiError } from "../errors/errors.ts";
import { parseInstant } from "./instant.ts";

describe("a time sent by a caller", () => {
  it.each([
    ["2030-01-31T12:00:00Z", "2030-01-31T12:00:00.000Z"],
    ["2030-01-31t12:00:00.123456z", "2030-01-31T12:00:00.123Z"],
    ["2030-01-31T12:00:00+23:59", "2030-01-30T12:01:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("%s is %s", (text, instant) => {
    expect(parseInstant("query.from", text)).toBe(instant);
  });

  it.each([
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "2016-12-31T23:59:60Z",
    "soon",
  ])("%s is refused with its location", (text) => {
    const apiError = apiErrorOf(() => parseInstant("query.from", text));
    expect([apiError.code, apiError.errors[0]]).toMatchObject([
      "validation_failed",
      { location: "query.from", value: text },
    ]);
  });
});

function apiErrorOf(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("it was taken");
}
