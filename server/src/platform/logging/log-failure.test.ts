import { describe, expect, it } from "vitest";
import type { Ctx } from "../context.ts";
import { ApiError } from "../errors/errors.ts";
import { logFailure } from "./log-failure.ts";

const STACK = / {4}at /;

describe("logFailure", () => {
  it("is silent while the database is unreachable: the watch logs that once", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    expect(logged(refused)).toEqual([
      { level: "debug", of: { key: 1, reason: expect.any(String) }, message: "failed" },
    ]);
    const atCommit = new ApiError("service_unavailable", "The outcome is not known.", { cause: refused });
    expect(logged(atCommit)).toEqual([expect.objectContaining({ level: "debug" })]);
  });

  it("logs a full disk without a stack trace, which would not help", () => {
    const full = Object.assign(new Error("could not extend file"), { code: "53100" });
    expect(logged(full)).toEqual([
      { level: "error", of: { key: 1, reason: "could not extend file" }, message: "failed" },
    ]);
  });

  it("logs a bug with its stack trace", () => {
    expect(logged(new Error("undefined is not a function"))).toEqual([
      { level: "error", of: { key: 1, reason: expect.stringMatching(STACK) }, message: "failed" },
    ]);
  });
});

function logged(error: unknown): unknown[] {
  const lines: unknown[] = [];
  const at = (level: string) => (of: unknown, message: string) => lines.push({ level, of, message });
  logFailure({ log: { debug: at("debug"), error: at("error") } } as unknown as Ctx, error, { key: 1 }, "failed");
  return lines;
}
