import { describe, expect, it } from "vitest";
import { withRetryBudget } from "./with-retry-budget.ts";

/** Fails so often, then answers how often it was asked. */
function failing(times: number, error: Error) {
  let asked = 0;
  return async () => {
    if (++asked <= times) throw error;
    return asked;
  };
}

describe("what a start asks of a database that is slow to give a connection", () => {
  const patience = { turns: 3, pauseMs: 0 };
  const busy = new Error("timeout exceeded when trying to connect");

  it("is asked again, until there is one or the patience is over", async () => {
    expect(await withRetryBudget(failing(0, busy), patience)).toBe(1);
    expect(await withRetryBudget(failing(2, busy), patience)).toBe(3);
    await expect(withRetryBudget(failing(3, busy), patience)).rejects.toBe(busy);
  });

  it("is not asked again for another reason", async () => {
    const other = new Error("no such table");
    await expect(withRetryBudget(failing(1, other), patience)).rejects.toBe(other);
  });
});
