import { describe, expect, it } from "vitest";
import { newId } from "../../platform/ids.ts";
import { fingerprintOf, normalise } from "./fingerprint.ts";

const failure = { job_id: newId(), step_ref: null, http_status: 503, code: "http_503", message: "It broke." };

describe("what failures have in common", () => {
  it.each([
    ["The endpoint answered 503 for order 17", "The endpoint answered <n> for order <n>"],
    [`no row ${newId()} in shard 0x1f`, "no row <id> in shard <id>"],
    ['unknown field "customer_7"', "unknown field <text>"],
    ["mail to ann.lee+x@example.co.uk bounced", "mail to <mail> bounced"],
    ["GET https://api.example.com/users/42?token=abc failed", "GET https://api.example.com failed"],
    ["late since 2030-01-31T12:00:00.123Z", "late since <time>"],
    ["key sk_live_51H8xYz09abcDEF is not known", "key <id> is not known"],
    ["took 1,204.5 ms\n  at step 3", "took <n> ms at step <n>"],
  ])("is told without what is of one run: %s", (message, expected) => {
    expect(normalise(message)).toBe(expected);
  });

  it("is cut, and is found in a long message as quickly as in a short one", () => {
    const startedAt = performance.now();
    for (const unit of ["a@", "'", "1-", "ab_9", "http://", "x "]) {
      expect(normalise(unit.repeat(1_000_000)).length).toBeLessThanOrEqual(200);
    }
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it("is another for another job, step, status, code or message", () => {
    const others = [
      { ...failure, job_id: newId() },
      { ...failure, step_ref: "pay" },
      { ...failure, http_status: 500 },
      { ...failure, code: "timeout" },
      { ...failure, message: "It burnt." },
    ];
    const prints = new Set([failure, ...others].map(fingerprintOf));
    expect(prints.size).toBe(6);
    expect(fingerprintOf({ ...failure })).toBe(fingerprintOf(failure));
  });
});
