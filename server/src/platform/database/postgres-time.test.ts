import { describe, expect, it } from "vitest";
import { isoFromPostgres } from "./postgres-types.ts";

describe("a PostgreSQL timestamp", () => {
  it("becomes ISO 8601 with milliseconds, truncated and not rounded", () => {
    expect(isoFromPostgres("2026-11-15 19:00:01+00")).toBe("2026-11-15T19:00:01.000Z");
    expect(isoFromPostgres("2026-11-15 19:00:01.5+00")).toBe("2026-11-15T19:00:01.500Z");
    expect(isoFromPostgres("2026-11-15 19:00:01.25+00")).toBe("2026-11-15T19:00:01.250Z");
    expect(isoFromPostgres("2026-11-15 19:00:01.123+00")).toBe("2026-11-15T19:00:01.123Z");
    expect(isoFromPostgres("2026-11-15 19:00:01.123999+00")).toBe("2026-11-15T19:00:01.123Z");
  });

  it("is in UTC regardless of the session's zone", () => {
    expect(isoFromPostgres("2026-11-15 20:00:01.5+01")).toBe("2026-11-15T19:00:01.500Z");
    expect(isoFromPostgres("2026-11-16 00:30:01+05:30")).toBe("2026-11-15T19:00:01.000Z");
  });
});
