import { expect, it } from "vitest";
import { violates } from "./database-errors.ts";

it("a constraint is recognized by its name, also with the number of a shard behind it", () => {
  const violation = (constraint: string) => Object.assign(new Error("no"), { code: "23514", constraint });
  const isOurs = (constraint: string) => violates(violation(constraint), "concurrency_counters_active_check");
  expect(isOurs("concurrency_counters_active_check")).toBe(true);
  expect(isOurs("concurrency_counters_active_check_102008")).toBe(true);
  expect(isOurs("concurrency_counters_active_check1")).toBe(false);
});
