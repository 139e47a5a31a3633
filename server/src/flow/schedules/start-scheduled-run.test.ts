import { describe, expect, it } from "vitest";
import { StaleWorkflows } from "../workflows/start/start-workflow-runs.ts";
import { retryWhileStale } from "./start-scheduled-run.ts";

/** Fails a number of times, then returns how often it was called. */
function failing(times: number, error: Error) {
  let calls = 0;
  return async () => {
    if (++calls <= times) throw error;
    return calls;
  };
}

describe("a transaction in which the workflow was changed", () => {
  const stale = new StaleWorkflows(["a"]);

  it("R16 is retried, five times at most", async () => {
    expect(await retryWhileStale(failing(0, stale))).toBe(1);
    expect(await retryWhileStale(failing(4, stale))).toBe(5);
    await expect(retryWhileStale(failing(5, stale))).rejects.toBe(stale);
  });

  it("R16 is not retried for another reason", async () => {
    const other = new Error("the database is unreachable");
    await expect(retryWhileStale(failing(1, other))).rejects.toBe(other);
  });
});
