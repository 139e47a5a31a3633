import { describe, expect, it } from "vitest";
import { StartError } from "../platform/start-error.ts";
import { printFailedStart } from "./print-failed-start.ts";

describe("a failed start", () => {
  it("for an external reason prints one sentence, without a stack trace", () => {
    expect(printFailedStart(new StartError("The port is taken."))).toBe("The port is taken.");
    const lost = printFailedStart(new Error("timeout exceeded when trying to connect"));
    expect(lost).toMatch(
      /^The connection to the database was lost during startup: timeout exceeded when trying to connect\. /,
    );
    expect(lost).not.toContain("\n");
    const full = printFailedStart(Object.assign(new Error("could not extend file"), { code: "53100" }));
    expect(full).toBe(
      "The database cannot write: could not extend file. Free disk space or make it writable, then start again.",
    );
  });

  it("for a bug prints the stack trace", () => {
    expect(printFailedStart(new TypeError("x is not a function"))).toMatch(/^TypeError: x is not a function\n +at /);
    expect(printFailedStart("thrown text")).toBe("thrown text");
  });
});
