import { describe, expect, it } from "vitest";
import { withRetryBudget } from "./with-retry-budget.ts";

/** Fails this often, then returns the number of calls. */
function failing(times: number, error: Error) {
  let asked = 0;
  return async () => {
    if (++asked <= times) throw error;
    return asked;
  };
}

describe("a start on a database that is slow to give a connection", () => {
  const patience = { turns: 3, pauseMs: 0 };
  const busy = new Error("timeout exceeded when trying to connect");

  it("retries until there is one or the retry budget is used up", async () => {
    expect(await withRetryBudget(failing(0, busy), patience)).toBe(1);
    expect(await withRetryBudget(failing(2, busy), patience)).toBe(3);
    await expect(withRetryBudget(failing(3, busy), patience)).rejects.toBe(busy);
  });

  it("does not retry for another reason", async () => {
    const other = new Error("no such table");
    await expect(withRetryBudget(failing(1, other), patience)).rejects.toBe(other);
  });
});
