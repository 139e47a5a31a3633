import { describe, expect, it } from "vitest";
import { printFailedStart, StartError } from "./start-error.ts";

describe("a start that failed", () => {
  it("for a reason outside of the service is told in one sentence, without a stack", () => {
    expect(printFailedStart(new StartError("The port is taken."))).toBe("The port is taken.");
    const lost = printFailedStart(new Error("timeout exceeded when trying to connect"));
    expect(lost).toMatch(/^The database was lost during the start: timeout exceeded when trying to connect\. /);
    expect(lost).not.toContain("\n");
    const full = printFailedStart(Object.assign(new Error("could not extend file"), { code: "53100" }));
    expect(full).toBe(
      "The database cannot write: could not extend file. Make room for it, or let it write, then start again.",
    );
  });

  it("for a issue of ours shows where it happened", () => {
    expect(printFailedStart(new TypeError("x is not a function"))).toMatch(/^TypeError: x is not a function\n +at /);
    expect(printFailedStart("thrown text")).toBe("thrown text");
  });
});
