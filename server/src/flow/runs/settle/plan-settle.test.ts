import { describe, expect, it } from "vitest";
import type { JobVersion } from "../create/job-version.ts";
import type { LeasedRun, Outcome } from "../dispatch/outcome.ts";
import { planSettle } from "./plan-settle.ts";

const VERSION: JobVersion = {
  id: "v",
  endpoint_url: "https://jobs.example.com/",
  encrypted_headers: Buffer.alloc(0),
  retry_strategy: "custom",
  retry_delays_secs: [10, 20],
  result_schema: null,
  on_failure_job_id: null,
  max_cost_microusd: null,
  unreachable_timeout_secs: 86_400,
};
const RUN: LeasedRun = {
  project_id: "p",
  run_id: "r",
  job_version_id: "v",
  attempt: 7,
  lease_token: "t",
  tries_used: 0,
  crash_count: 0,
  max_attempts: 3,
  slots: null,
};
const ERROR = { code: "http_503", message: "The endpoint responded with 503." };
type Settled = Exclude<Outcome, { kind: "accepted" }>;
const plan = (outcome: Settled, run: Partial<LeasedRun> = {}) =>
  planSettle({ ...RUN, ...run }, outcome, VERSION, "serve");

/** Each retryable outcome: its cause, the error it leaves, and its status on the last try. */
const TRIED_AGAIN: [Settled, string, string, "failed" | "timed_out"][] = [
  [{ kind: "failed", retryable: true, error: ERROR }, "retry", "http_503", "failed"],
  [{ kind: "timed_out" }, "timeout", "timeout", "timed_out"],
  [{ kind: "heartbeat_lost" }, "heartbeat_lost", "heartbeat_lost", "timed_out"],
  [{ kind: "lease_lost" }, "lease_lost", "lease_lost", "failed"],
];

describe("a completed run", () => {
  it.each([0, 1, 2])("R1 ends with its result, after %i failed tries", (tries_used) => {
    expect(plan({ kind: "completed", result_json: '{"a":1}' }, { tries_used, crash_count: 1 })).toEqual({
      kind: "end",
      to_status: "completed",
      cause: "completed",
      result_json: '{"a":1}',
      error: null,
      tries_used,
      crash_count: 1,
      is_dead: false,
    });
  });
});

describe("an endpoint that cannot be reached", () => {
  it.each([
    ["dev", 2],
    ["serve", 30],
  ] as const)(
    "R17 uses no try, even the last one; in %s the next attempt is at most %i s later",
    (mode, delay_secs) => {
      const run = { ...RUN, tries_used: RUN.max_attempts - 1, crash_count: 1 };
      const { tries_used, crash_count } = run;
      expect(planSettle(run, { kind: "unreachable", error: ERROR }, VERSION, mode)).toEqual({
        ...{ kind: "requeue", cause: "unreachable", delay_secs, error: ERROR, tries_used, crash_count },
      });
    },
  );
});

describe.each(TRIED_AGAIN)("a dispatch that ended as %j", (outcome, cause, code, atLast) => {
  it.each([0, 1])("R1 uses a try and is retried, after %i used tries", (tries_used) => {
    const settled = plan(outcome, { tries_used });
    expect(settled).toMatchObject({ kind: "requeue", cause, error: { code }, tries_used: tries_used + 1 });
    if (settled.kind !== "requeue") return;
    // The endpoint has done nothing wrong when an instance dies.
    const least = outcome.kind === "lease_lost" ? 0 : ([10, 20][tries_used] ?? 0);
    expect(settled.delay_secs).toBeGreaterThanOrEqual(least);
    expect(settled.delay_secs).toBeLessThanOrEqual(least * 1.2);
  });

  it("R1 on the last try ends the run and puts it in the dead-letter queue", () => {
    expect(plan(outcome, { tries_used: 2 })).toMatchObject({
      kind: "end",
      to_status: atLast,
      cause: cause === "retry" ? "failed" : cause,
      result_json: "null",
      error: { code },
      tries_used: 3,
      is_dead: true,
    });
  });

  it("R1 with max_attempts 1 is not retried", () => {
    expect(plan(outcome, { max_attempts: 1 })).toMatchObject({ kind: "end", to_status: atLast, is_dead: true });
  });

  it("R1 ends the run too if max_attempts was lowered meanwhile", () => {
    expect(plan(outcome, { tries_used: 9 })).toMatchObject({ kind: "end", is_dead: true });
  });
});

describe("an outcome that is not retryable", () => {
  it.each([0, 1, 2])("R1 ends the run at once, after %i tries", (tries_used) => {
    expect(plan({ kind: "failed", retryable: false, error: ERROR }, { tries_used })).toMatchObject({
      kind: "end",
      to_status: "failed",
      cause: "failed",
      error: ERROR,
      is_dead: true,
    });
  });
});

describe("an endpoint with Retry-After", () => {
  it("R1 gets that delay, if it is longer than the job's own", () => {
    const failed = (retry_after_secs: number): Settled => ({ ...TRIED_AGAIN[0]?.[0], retry_after_secs }) as Settled;
    const delayOf = (secs: number) => {
      const settled = plan(failed(secs));
      return settled.kind === "requeue" ? settled.delay_secs : Number.NaN;
    };
    expect(delayOf(600)).toBeGreaterThanOrEqual(600);
    expect(delayOf(3)).toBeGreaterThanOrEqual(10);
    expect(delayOf(3)).toBeLessThanOrEqual(12);
  });
});

describe("a run whose instance was lost", () => {
  it("R1 three times is not retried again, whatever its max_attempts", () => {
    const crash = (crash_count: number) => plan({ kind: "lease_lost" }, { crash_count, max_attempts: 100 });
    expect(crash(0)).toMatchObject({ kind: "requeue", crash_count: 1 });
    expect(crash(1)).toMatchObject({ kind: "requeue", crash_count: 2 });
    expect(crash(2)).toMatchObject({ kind: "end", to_status: "failed", crash_count: 3, is_dead: true });
  });

  it("R1 keeps its crash count while it fails for other reasons", () => {
    for (const [outcome] of TRIED_AGAIN.filter(([each]) => each.kind !== "lease_lost")) {
      expect(plan(outcome, { crash_count: 2 })).toMatchObject({ kind: "requeue", crash_count: 2 });
    }
  });
});

describe("a drained run", () => {
  it.each([0, 2, 3])("R1 is requeued at once and uses no try, after %i tries", (tries_used) => {
    expect(plan({ kind: "drained" }, { tries_used, crash_count: 2 })).toEqual({
      kind: "requeue",
      cause: "drained",
      delay_secs: 0,
      error: null,
      tries_used,
      crash_count: 2,
    });
  });
});
