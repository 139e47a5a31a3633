import { describe, expect, it } from "vitest";
import { newId } from "../../../platform/ids.ts";
import { fingerprintOf, normalize } from "./fingerprint.ts";

const failure = { job_id: newId(), step_ref: null, http_status: 503, code: "http_503", message: "It broke." };

describe("the fingerprint of a failure", () => {
  it.each([
    ["The endpoint responded with 503 for order 17", "The endpoint responded with <n> for order <n>"],
    [`no row ${newId()} in shard 0x1f`, "no row <id> in shard <id>"],
    ['unknown field "customer_7"', "unknown field <text>"],
    ["mail to ann.lee+x@example.co.uk bounced", "mail to <mail> bounced"],
    ["GET https://api.example.com/users/42?token=abc failed", "GET https://api.example.com failed"],
    ["late since 2030-01-31T12:00:00.123Z", "late since <time>"],
    ["key sk_live_51H8xYz09abcDEF is not known", "key <id> is not known"],
    ["took 1,204.5 ms\n  at step 3", "took <n> ms at step <n>"],
    ['no plan "a \\"b\\" c" today', "no plan <text> today"],
    ['answered 422: {"error":"no plan \\"gratis\\" for order 17"}', "answered <n>: no plan <text> for order <n>"],
    ['{"code":7,"error":{"id":"e-1","message":"card 4242 declined"}}', "card <n> declined"],
    [
      '{"customer":"Ann Lee","tries":3,"ok":false,"items":[1,2]}',
      "{customer: <text>, tries: <n>, ok: false, items: <list>}",
    ],
    ['upstream: {\\"error\\":\\"no seat in row 9\\"}', "upstream: no seat in row <n>"],
    ['{"error":"{\\"message\\":\\"deep 5\\"}"}', "deep <n>"],
    ['cut {"error":"no plan \\"gratis\\" for', "cut {error: <text>"],
  ])("replaces what is specific to one run: %s", (message, expected) => {
    expect(normalize(message)).toBe(expected);
  });

  it("truncates the message, and takes as little time for a long one as for a short one", () => {
    // An implementation that is not linear takes minutes, and fails by the timeout of the test.
    for (const unit of ["a@", "'", "1-", "ab_9", "http://", "x ", '"', '\\"', '{"', '{"a":', '\\\\"{', "{}"]) {
      expect(normalize(unit.repeat(1_000_000)).length).toBeLessThanOrEqual(200);
    }
  });

  it("differs for another job, step, status, code or message", () => {
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
