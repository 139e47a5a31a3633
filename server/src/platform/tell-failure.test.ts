import { describe, expect, it } from "vitest";
import type { Ctx } from "./context.ts";
import { Refusal } from "./errors.ts";
import { tellFailure } from "./tell-failure.ts";

const STACK = / {4}at /;

describe("tellFailure", () => {
  it("is quiet while the database is away: the watch tells of that, once", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    expect(told(refused)).toEqual([{ level: "debug", of: { key: 1, reason: expect.any(String) }, message: "failed" }]);
    const atCommit = new Refusal("service_unavailable", "The outcome is not known.", { cause: refused });
    expect(told(atCommit)).toEqual([expect.objectContaining({ level: "debug" })]);
  });

  it("tells of a full disk without the place in the code, which is not at fault", () => {
    const full = Object.assign(new Error("could not extend file"), { code: "53100" });
    expect(told(full)).toEqual([
      { level: "error", of: { key: 1, reason: "could not extend file" }, message: "failed" },
    ]);
  });

  it("tells of a fault of ours with its place", () => {
    expect(told(new Error("undefined is not a function"))).toEqual([
      { level: "error", of: { key: 1, reason: expect.stringMatching(STACK) }, message: "failed" },
    ]);
  });
});

function told(error: unknown): unknown[] {
  const lines: unknown[] = [];
  const at = (level: string) => (of: unknown, message: string) => lines.push({ level, of, message });
  tellFailure({ log: { debug: at("debug"), error: at("error") } } as unknown as Ctx, error, { key: 1 }, "failed");
  return lines;
}
