import { expect, it } from "vitest";
import { countSends } from "./count-sends.ts";

const at = (attempt: number, minute: number, outcome: "delivered" | "retryable" | "aborted" = "retryable") => ({
  ...{ attempt, outcome, status_code: 500, error: null, duration_ms: 1, request_headers: null },
  ...{ response_headers: null, response_body: null },
  started_at: `2030-01-01T00:${String(minute).padStart(2, "0")}:00.000Z`,
  finished_at: `2030-01-01T00:${String(minute).padStart(2, "0")}:01.000Z`,
});
const since = Date.parse("2030-01-01T00:10:00Z");

it("counts a delivery once, however often it is tried, and again for each manual retry", () => {
  const history = [at(1, 11), at(2, 12), at(3, 13)];
  expect(countSends({ status: "pending", attempts: 3, attempt_history: history }, since)).toBe(1);
  expect(countSends({ status: "pending", attempts: 0, attempt_history: history }, since)).toBe(2);
  expect(countSends({ status: "delivered", attempts: 1, attempt_history: [...history, at(1, 14)] }, since)).toBe(2);
});

it("does not count what was sent before, or was given up before it was sent", () => {
  expect(countSends({ status: "delivered", attempts: 1, attempt_history: [at(1, 9)] }, since)).toBe(0);
  expect(countSends({ status: "pending", attempts: 0, attempt_history: [at(1, 11, "aborted")] }, since)).toBe(1);
});
