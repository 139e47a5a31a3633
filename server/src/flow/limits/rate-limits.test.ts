import { beforeAll, describe, expect, it } from "vitest";
import { maxWithin } from "../../../test/oracles/sweep-line.ts";
import { randomFrom, testSeed } from "../../../test/seed/seed.ts";
import { runSql } from "../../../test/world/database.ts";
import { claimOne, claimSome, fillQueue, makeJob } from "../../../test/world/queue-world.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { settleRuns } from "../runs/settle/settle-runs.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
  await world.clock.set("2030-01-01T00:00:00.000Z");
});

describe("a rate limit, with simulated time", () => {
  it("R5 never admits more than its maximum in any window, and at most a sixtieth less", async () => {
    const random = randomFrom(testSeed("rate limit"));
    const job = await makeJob(await world.project(), { rate_limit_max: 10, rate_limit_window_secs: 60 });
    await fillQueue(world.ctx, job, 60);
    const starts: number[] = [];
    while (starts.length < 60) {
      const now = Date.parse(await world.clock.now());
      const claims = await Promise.all([1, 2, 3].map(() => claimSome(world.ctx, job, 15)));
      starts.push(...claims.flat().map(() => now));
      await world.clock.set(new Date(now + Math.ceil(random() * 12_000)).toISOString());
      while (await world.tick("release-rate-limits"));
    }
    expect(maxWithin(starts, 60_000)).toBe(10);
    // 60 at 10 a minute take 5 minutes; each window may be a sixtieth longer, and its end is noticed up to a step late.
    expect(Math.max(...starts) - Math.min(...starts)).toBeLessThan(5 * (60_000 + 1_000 + 12_000));
  });

  it("R5 unblocks all runs blocked on it, however few it admits at a time", async () => {
    const job = await makeJob(await world.project(), { rate_limit_max: 10, rate_limit_window_secs: 60 });
    await fillQueue(world.ctx, job, 35);
    const admitted: number[] = [];
    for (let minute = 0; minute < 5; minute++) {
      admitted.push((await claimSome(world.ctx, job, 50)).length);
      await world.clock.pass("62s");
      await world.tick("release-rate-limits");
    }
    expect(admitted).toEqual([10, 10, 10, 5, 0]);
  });

  it("R4 grants as many starts as the window has left, not as many as it ever allows", async () => {
    const job = await makeJob(await world.project(), { rate_limit_max: 3, rate_limit_window_secs: 60 });
    await fillQueue(world.ctx, job, 9);
    const granted = async () =>
      (await runSql(world.connection, "select 1 from run_queue where job_id = $1 and granted_by is not null", [job.id]))
        .length;
    for (let start = 0; start < 3; start++) {
      expect(await claimSome(world.ctx, job, 1)).toHaveLength(1);
      await world.clock.pass("10s");
    }
    expect(await claimSome(world.ctx, job, 9)).toHaveLength(0);
    const seen: number[] = [];
    for (let second = 0; second < 40; second += 10) {
      await world.clock.pass("10s");
      while (await world.tick("release-rate-limits"));
      seen.push(await granted());
    }
    expect(seen).toEqual([0, 0, 0, 1]);
    await world.clock.pass("10s");
    while (await world.tick("release-rate-limits"));
    expect([await granted(), (await claimSome(world.ctx, job, 9)).length]).toEqual([2, 2]);
  });

  it("R5 starts again with the next reconciliation after the database's clock went back by an hour", async () => {
    const job = await makeJob(await world.project(), { rate_limit_max: 2, rate_limit_window_secs: 60 });
    await fillQueue(world.ctx, job, 5);
    expect(await claimSome(world.ctx, job, 5)).toHaveLength(2);
    await world.clock.goBack("1h");
    await world.tick("reconcile-queue");
    expect(await claimSome(world.ctx, job, 5)).toHaveLength(2);
    await world.clock.pass("62s");
    while (await world.tick("release-rate-limits"));
    expect(await claimSome(world.ctx, job, 5)).toHaveLength(1);
  });

  it("R5 that is raised unblocks what it now allows, at once", async () => {
    const project = await world.project();
    const named = { name: "tenant", key: "{{payload.tenant}}", window_secs: 60 };
    const job = await makeJob(project, { rate_limit_keys: [{ ...named, max: 2 }] });
    await fillQueue(world.ctx, job, Array(6).fill({ payload: { tenant: "a" } }));
    expect(await claimSome(world.ctx, job, 10)).toHaveLength(2);
    expect(await claimSome(world.ctx, job, 10)).toHaveLength(0);
    await project.api.patch(job.path, { rate_limit_keys: [{ ...named, max: 5 }] });
    expect(await claimSome(world.ctx, job, 10)).toHaveLength(3);
    await project.api.patch(job.path, { rate_limit_keys: [] });
    expect(await claimSome(world.ctx, job, 10)).toHaveLength(1);
  });
});

describe("a debounced run that is blocked on a limit", () => {
  it("waits for its window again when it is triggered again, though a slot becomes free", async () => {
    const project = await world.project();
    const job = await makeJob(project, { debounce_window_secs: 60, max_concurrency_per_key: 1 });
    const trigger = async () => (await project.api.post(`${job.path}/trigger`, { concurrency_key: "k" })).body.id;
    const fallsDue = async () => {
      await world.clock.pass("61s");
      await world.tick("release-due-runs");
    };
    await trigger();
    await fallsDue();
    const running = await claimOne(world.ctx, job);
    const waiting = await trigger();
    await fallsDue();
    expect(await claimSome(world.ctx, job)).toEqual([]);
    expect(await trigger()).toBe(waiting);
    await settleRuns(world.ctx, [{ run: running, outcome: { kind: "completed", result_json: "1" } }]);
    expect(await claimSome(world.ctx, job)).toEqual([]);
    await fallsDue();
    expect((await claimOne(world.ctx, job)).run_id).toBe(waiting);
  });
});
