import { describe, expect, it } from "vitest";
import { withRetryBudget } from "./with-retry-budget.ts";

/** Fails this often, then returns the number of calls. */
function failing(times: number, error: Error) {
  let calls = 0;
  return async () => {
    if (++calls <= times) throw error;
    return calls;
  };
}

describe("a start on a database that is slow to give a connection", () => {
  const budget = { attempts: 3, pauseMs: 0 };
  const busy = new Error("timeout exceeded when trying to connect");

  it("retries until there is one or the retry budget is used up", async () => {
    expect(await withRetryBudget(failing(0, busy), budget)).toBe(1);
    expect(await withRetryBudget(failing(2, busy), budget)).toBe(3);
    await expect(withRetryBudget(failing(3, busy), budget)).rejects.toBe(busy);
  });

  it("retries after a lock or a statement that took too long", async () => {
    for (const code of ["55P03", "57014"]) {
      const late = Object.assign(new Error("canceling statement"), { code });
      expect(await withRetryBudget(failing(2, late), budget)).toBe(3);
    }
  });

  it("does not retry for another reason", async () => {
    const other = new Error("no such table");
    await expect(withRetryBudget(failing(1, other), budget)).rejects.toBe(other);
  });
});
