import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import {
  claimSome,
  fillQueue,
  type Gate,
  holdGate,
  makeJob,
  type TestJob,
  whenBlocked,
} from "../../../test/world/queue-world.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import type { ClaimedRun } from "../runs/claim/claimed-run.ts";
import type { Outcome } from "../runs/dispatch/outcome.ts";
import { reconcileQueue } from "../runs/maintain/reconcile-queue.ts";
import { settleRuns } from "../runs/settle/settle-runs.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

const reasonOf = async (run_id: string | undefined) => {
  const [row] = await runSql<{ blocked_on: string | null }>(
    world.connection,
    "select blocked_on from run_queue where run_id = $1",
    [run_id],
  );
  return row?.blocked_on;
};

const change = async (job: TestJob, fields: object) => {
  const response = await project.api.patch(job.path, fields);
  expect(response.status, response.text).toBe(200);
};

const NAMED = { name: "tenant", key: "{{payload.tenant}}", max: 1, window_secs: 3_600 };
const A_RATE = { rate_limit_max: 1, rate_limit_window_secs: 3_600 };
const NO_RATE = { rate_limit_max: null, rate_limit_window_secs: null };
const RUN = { concurrency_key: "a", payload: { tenant: "a" } };

/** A limit, a change that makes room for one more run, and the rows that a claim locks before it decides. */
const CHANGES = [
  ["max_concurrency, removed", { max_concurrency: 1 }, { max_concurrency: null }, "concurrency_counters"],
  ["max_concurrency, raised", { max_concurrency: 1 }, { max_concurrency: 2 }, "concurrency_counters"],
  [
    "a limit per key, removed",
    { max_concurrency_per_key: 1 },
    { max_concurrency_per_key: null },
    "concurrency_counters",
  ],
  ["a limit per key, raised", { max_concurrency_per_key: 1 }, { max_concurrency_per_key: 2 }, "concurrency_counters"],
  ["a rate limit, removed", A_RATE, NO_RATE, "rate_windows"],
  ["a rate limit, raised", A_RATE, { rate_limit_max: 2 }, "rate_windows"],
  ["a named rate limit, removed", { rate_limit_keys: [NAMED] }, { rate_limit_keys: [] }, "rate_windows"],
  [
    "a named rate limit, raised",
    { rate_limit_keys: [NAMED] },
    { rate_limit_keys: [{ ...NAMED, max: 2 }] },
    "rate_windows",
  ],
] as const;

describe.each(CHANGES)("a run that races with a change of %s", (_, before, after, table) => {
  /** One run has started, and the limit admits no other. */
  async function fullJob(): Promise<TestJob> {
    const job = await makeJob(project, before);
    await fillQueue(world.ctx, job, [RUN]);
    expect(await claimSome(world.ctx, job)).toHaveLength(1);
    return job;
  }
  const holdLimits = (job: TestJob): Promise<Gate> =>
    holdGate(world.connection, `select 1 from ${table} where key like '%' || $1::text || '%' for update`, [job.id]);

  it("R4 is not blocked on the old limit by a claim that read it before the change was committed", async () => {
    const job = await fullJob();
    const [waiting] = await fillQueue(world.ctx, job, [RUN]);
    const gate = await holdLimits(job);
    const claiming = claimSome(world.ctx, job);
    await whenBlocked(world.connection);
    const revised = await holdGate(
      world.connection,
      "update jobs set revision = revision + 1 where id = $1 returning 1",
      [job.id],
    );
    await revised.open();
    await gate.open();
    expect(await claiming).toEqual([]);
    expect(await reasonOf(waiting)).toBeNull();
    await change(job, after);
    expect((await claimSome(world.ctx, job)).map(({ run_id }) => run_id)).toEqual([waiting]);
  });

  it("R4 is not blocked while the change is being committed", async () => {
    const job = await fullJob();
    const [waiting] = await fillQueue(world.ctx, job, [RUN]);
    const editing = await holdGate(world.connection, "select 1 from jobs where id = $1 for no key update", [job.id]);
    expect(await claimSome(world.ctx, job)).toEqual([]);
    expect(await reasonOf(waiting)).toBeNull();
    await editing.open();
  });

  it("R4 starts after the change if it was blocked before", async () => {
    const job = await fullJob();
    const [waiting] = await fillQueue(world.ctx, job, [RUN]);
    const gate = await holdLimits(job);
    const claiming = claimSome(world.ctx, job);
    await whenBlocked(world.connection);
    const changing = change(job, after);
    await gate.open();
    await Promise.all([claiming, changing]);
    const started = [...(await claiming), ...(await claimSome(world.ctx, job))];
    expect(started.map(({ run_id }) => run_id)).toEqual([waiting]);
  });
});

it("R4 the change of a limit starts all runs that wait for it, however many", async () => {
  const job = await makeJob(project, { max_concurrency: 1 });
  await fillQueue(world.ctx, job, 2);
  await claimSome(world.ctx, job, 2);
  await runSql(
    world.connection,
    `insert into run_queue (project_id, run_id, job_id, host, rank_at, run_at, blocked_on, timeout_secs)
     select project_id, gen_random_uuid(), job_id, host, rank_at, run_at, blocked_on, timeout_secs
     from run_queue, generate_series(1, 11000) where job_id = $1 and blocked_on is not null`,
    [job.id],
  );
  await change(job, { max_concurrency: null });
  const blocked = await runSql(
    world.connection,
    "select 1 from run_queue where job_id = $1 and blocked_on is not null",
    [job.id],
  );
  expect(blocked).toEqual([]);
  await runSql(world.connection, "delete from run_queue where job_id = $1", [job.id]);
});

describe("a concurrency limit that is set while runs are active", () => {
  const LIMITS = [
    ["max_concurrency", (job: TestJob) => `job:${job.id}`],
    ["max_concurrency_per_key", (job: TestJob) => `key:${job.id}:a`],
  ] as const;
  const activeOf = async (key: string) => {
    const [row] = await runSql<{ active: number }>(
      world.connection,
      "select active from concurrency_counters where key = $1",
      [key],
    );
    return row?.active;
  };
  const triggered = async (job: TestJob, count: number) => {
    await fillQueue(world.ctx, job, Array(count).fill(RUN));
    return claimSome(world.ctx, job, count + 5);
  };
  const completed = (...runs: ClaimedRun[]) =>
    settleRuns(
      world.ctx,
      runs.map((run) => ({ run, outcome: { kind: "completed", result_json: "null" } })),
    );
  const FAILED: Outcome = { kind: "failed", retryable: true, error: { code: "x", message: "x" } };

  it.each(LIMITS)("R4 counts them: %s", async (limit, keyOf) => {
    const job = await makeJob(project);
    const [first, second, third] = await triggered(job, 3);
    if (!first || !second || !third) throw new Error("not claimed");
    await change(job, { [limit]: 2 });
    expect(await activeOf(keyOf(job))).toBe(3);
    expect(await triggered(job, 2)).toEqual([]);
    expect(await completed(first)).toEqual([true]);
    expect(await activeOf(keyOf(job))).toBe(2);
    expect(await claimSome(world.ctx, job, 5)).toEqual([]);
    expect(await settleRuns(world.ctx, [{ run: second, outcome: FAILED }])).toEqual([true]);
    const [fourth, ...more] = await claimSome(world.ctx, job, 5);
    expect(more).toEqual([]);
    if (!fourth) throw new Error("the freed slot was given to no run");
    await completed(third, fourth);
    expect(await activeOf(keyOf(job))).toBe(0);
  });

  it.each(LIMITS)("R4 counts those from before it was removed once, and those since: %s", async (limit, keyOf) => {
    const job = await makeJob(project, { [limit]: 2 });
    const before = await triggered(job, 2);
    await change(job, { [limit]: null });
    const since = await triggered(job, 2);
    await change(job, { [limit]: 2 });
    expect(await activeOf(keyOf(job))).toBe(4);
    expect(await triggered(job, 1)).toEqual([]);
    await completed(...before, ...since);
    expect(await activeOf(keyOf(job))).toBe(0);
  });

  it("R4 counts a run that was claimed just before it was committed, once the reconciliation has seen it", async () => {
    const job = await makeJob(project);
    const [missed] = await triggered(job, 1);
    if (!missed) throw new Error("not claimed");
    await runSql(world.connection, "update jobs set max_concurrency = 1, max_concurrency_per_key = 1 where id = $1", [
      job.id,
    ]);
    await reconcileQueue(world.ctx);
    await reconcileQueue(world.ctx);
    expect(await Promise.all(LIMITS.map(([, keyOf]) => activeOf(keyOf(job))))).toEqual([1, 1]);
    expect(await triggered(job, 1)).toEqual([]);
    await completed(missed);
    expect(await claimSome(world.ctx, job)).toHaveLength(1);
  });

  it("R4 waits for a run that is ending, and does not count it", async () => {
    const job = await makeJob(project);
    const [ending] = await triggered(job, 1);
    if (!ending) throw new Error("not claimed");
    const gate = await holdGate(world.connection, "select 1 from runs where id = $1 for update", [ending.run_id]);
    const end = completed(ending);
    await whenBlocked(world.connection);
    const changing = change(job, { max_concurrency: 1 });
    await whenBlocked(world.connection, 2);
    await gate.open();
    await Promise.all([end, changing]);
    expect(await end).toEqual([true]);
    expect(await triggered(job, 1)).toHaveLength(1);
  });
});

describe("the reconciliation starts runs that are blocked on a rate limit", () => {
  const blockedJob = async (limits: object): Promise<{ job: TestJob; waiting: string | undefined }> => {
    const job = await makeJob(project, limits);
    const [, waiting] = await fillQueue(world.ctx, job, [RUN, RUN]);
    expect(await claimSome(world.ctx, job, 2)).toHaveLength(1);
    expect(await reasonOf(waiting)).toMatch(/^rate:/);
    return { job, waiting };
  };
  const WITHOUT = "rate_limit_max = null, rate_limit_window_secs = null, rate_limit_keys = '[]'";
  it.each([
    ["that its job no longer has", A_RATE, WITHOUT],
    ["of a name that its job no longer has", { rate_limit_keys: [NAMED] }, WITHOUT],
    ["whose window has room", A_RATE, "rate_limit_max = 2"],
    [
      "of a name, whose window has room",
      { rate_limit_keys: [NAMED] },
      `rate_limit_keys = '${JSON.stringify([{ ...NAMED, max: 2 }])}'`,
    ],
  ])("%s", async (_, limits, changed) => {
    const { job, waiting } = await blockedJob(limits);
    await runSql(world.connection, `update jobs set ${changed} where id = $1`, [job.id]);
    await reconcileQueue(world.ctx);
    expect((await claimSome(world.ctx, job)).map(({ run_id }) => run_id)).toEqual([waiting]);
  });

  it("but not while its window is full", async () => {
    const { waiting } = await blockedJob(A_RATE);
    await reconcileQueue(world.ctx);
    expect(await reasonOf(waiting)).toMatch(/^rate:/);
  });

  it.each([
    ["without a timer", "update rate_windows set next_at = null where job_id = $1", 1],
    [
      "with a timer that was missed",
      "update rate_windows set next_at = clock() - interval '1 hour' where job_id = $1",
      1,
    ],
    ["that was lost", "delete from rate_windows where job_id = $1", 3],
  ])("but no more than a window %s allows, and the others follow", async (_, damage, room) => {
    const job = await makeJob(project, { ...A_RATE, rate_limit_max: 2 });
    const run_ids = await fillQueue(world.ctx, job, 6);
    expect(await claimSome(world.ctx, job, 6)).toHaveLength(2);
    await runSql(world.connection, "update jobs set rate_limit_max = 3 where id = $1", [job.id]);
    await runSql(world.connection, damage, [job.id]);
    await reconcileQueue(world.ctx);
    await reconcileQueue(world.ctx);
    const granted = await runSql<{ run_id: string }>(
      world.connection,
      "select run_id from run_queue where job_id = $1 and granted_by is not null and blocked_on is null",
      [job.id],
    );
    expect(granted.map(({ run_id }) => run_id).toSorted()).toEqual(run_ids.slice(2, 2 + room).toSorted());
    const [timer] = await runSql(
      world.connection,
      "select next_at > clock() as is_set from rate_windows where job_id = $1",
      [job.id],
    );
    expect(timer).toEqual({ is_set: true });
  });
});
