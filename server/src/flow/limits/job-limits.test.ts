import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type JobLimits, limitsOf, windowsOf } from "./job-limits.ts";

const JOB: JobLimits = {
  job_id: "j",
  is_paused: false,
  max_concurrency: null,
  max_concurrency_per_key: null,
  rate_limit_max: null,
  rate_limit_window_secs: null,
  rate_limit_keys: [],
  queue: "default",
  is_queue_paused: false,
  queue_max_concurrency: null,
  queue_rate_limit_max: null,
  queue_rate_limit_window_secs: null,
};
const RUN = { concurrency_key: null, payload: {} };
const TENANT = { name: "tenant", key: "{{payload.tenant}}", max: 5, window_secs: 10 };

const limitsWith = (job: Partial<JobLimits>, run: Partial<typeof RUN | { concurrency_key: string }> = {}) =>
  limitsOf({ ...RUN, ...run }, { ...JOB, ...job });

describe("the limits of a run", () => {
  it("R4 are none if its job has none", () => {
    expect(limitsWith({})).toEqual({ slots: [], rates: [] });
  });

  it("R4 max_concurrency is one counter for the job", () => {
    expect(limitsWith({ max_concurrency: 3 }).slots).toEqual([{ key: "job:j", max: 3 }]);
  });

  it("R4 max_concurrency_per_key is a counter for each key, and none for a run without one", () => {
    expect(limitsWith({ max_concurrency_per_key: 2 }).slots).toEqual([]);
    const of = (concurrency_key: string) => limitsWith({ max_concurrency_per_key: 2 }, { concurrency_key }).slots;
    expect(of("acme")).toEqual([{ key: "key:j:acme", max: 2 }]);
    expect(of("acme:1")).toEqual([{ key: "key:j:acme:1", max: 2 }]);
  });

  it("R4 a key needs no counter if its job has no limit per key", () => {
    expect(limitsWith({ max_concurrency: 1 }, { concurrency_key: "acme" }).slots).toEqual([{ key: "job:j", max: 1 }]);
  });

  it("R5 rate_limit_max is one window for the job", () => {
    const limits = { rate_limit_max: 7, rate_limit_window_secs: 60 };
    expect(limitsWith(limits).rates).toEqual([{ key: "rate:j::", max: 7 }]);
    expect(windowsOf(RUN, { ...JOB, ...limits })).toEqual([{ key: "rate:j::", max: 7, window_secs: 60 }]);
  });

  it("R5 each of rate_limit_keys is a window for each value of its key", () => {
    const job = { rate_limit_keys: [TENANT, { ...TENANT, name: "user", key: "{{payload.user.id}}", max: 1 }] };
    const payload = { tenant: "acme", user: { id: 7 } };
    expect(limitsWith(job, { payload }).rates).toEqual([
      { key: "rate:j:tenant:acme", max: 5 },
      { key: "rate:j:user:7", max: 1 },
    ]);
  });

  it("R5 a key may be constant, or made of several values", () => {
    const keyed = (key: string) =>
      limitsWith({ rate_limit_keys: [{ ...TENANT, key }] }, { payload: { a: 1, b: 2 } }).rates;
    expect(keyed("all")).toEqual([{ key: "rate:j:tenant:all", max: 5 }]);
    expect(keyed("{{payload.a}}-{{payload.b}}")).toEqual([{ key: "rate:j:tenant:1-2", max: 5 }]);
  });

  it("R5 a named limit whose key cannot be rendered does not apply", () => {
    expect(limitsWith({ rate_limit_keys: [TENANT] }, { payload: { other: 1 } }).rates).toEqual([]);
    expect(limitsWith({ rate_limit_keys: [TENANT] }, { payload: null as never }).rates).toEqual([]);
  });

  it("R5 two limits never share a window: neither by name nor with the job's own", () => {
    const twice = [TENANT, { ...TENANT, name: "tenant2" }];
    const limits = { rate_limit_max: 1, rate_limit_window_secs: 1, rate_limit_keys: twice };
    const keys = limitsWith(limits, { payload: { tenant: "" } }).rates.map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  });
});

describe("a key that would not fit into an index entry", () => {
  const hashed = (key: string) => `sha256-${createHash("sha256").update(key).digest("hex")}`;

  it("R4 is used as it is up to 200 characters, and as its hash beyond", () => {
    const slotOf = (concurrency_key: string) =>
      limitsWith({ max_concurrency_per_key: 1 }, { concurrency_key }).slots[0]?.key;
    expect(slotOf("x".repeat(200))).toBe(`key:j:${"x".repeat(200)}`);
    expect(slotOf("x".repeat(201))).toBe(`key:j:${hashed("x".repeat(201))}`);
  });

  it("R5 of a rate limit too: two payloads of a megabyte give two distinct short keys", () => {
    const rateOf = (tenant: string) => limitsWith({ rate_limit_keys: [TENANT] }, { payload: { tenant } }).rates[0]?.key;
    expect(rateOf("é".repeat(500_000))).toBe(`rate:j:tenant:${hashed("é".repeat(500_000))}`);
    expect(rateOf("é".repeat(500_000))).not.toBe(rateOf("é".repeat(500_001)));
  });
});
