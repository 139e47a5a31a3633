import { describe, expect, it } from "vitest";
import { StartError, tellFailedStart } from "./start-error.ts";

describe("a start that failed", () => {
  it("for a reason outside of the service is told in one sentence, without a stack", () => {
    expect(tellFailedStart(new StartError("The port is taken."))).toBe("The port is taken.");
    const lost = tellFailedStart(new Error("timeout exceeded when trying to connect"));
    expect(lost).toMatch(/^The database was lost during the start: timeout exceeded when trying to connect\. /);
    expect(lost).not.toContain("\n");
    const full = tellFailedStart(Object.assign(new Error("could not extend file"), { code: "53100" }));
    expect(full).toBe(
      "The database cannot write: could not extend file. Make room for it, or let it write, then start again.",
    );
  });

  it("for a fault of ours shows where it happened", () => {
    expect(tellFailedStart(new TypeError("x is not a function"))).toMatch(/^TypeError: x is not a function\n +at /);
    expect(tellFailedStart("thrown text")).toBe("thrown text");
  });
});
