import { beforeAll, describe, expect, it } from "vitest";
import { disorder } from "../../../../test/oracles/queue-order.ts";
import { runSql } from "../../../../test/world/database.ts";
import { claimOne, claimSome, fillQueue, holdGate, makeJob, whenBlocked } from "../../../../test/world/queue-world.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { until } from "../../../../test/world/until.ts";
import { untilUp } from "../../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { blockJob } from "../../limits/block-job.ts";
import type { Outcome } from "../dispatch/outcome.ts";
import { settleRuns } from "../settle/settle-runs.ts";

const COMPLETED: Outcome = { kind: "completed", result_json: "null" };

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
  project = await world.project();
});

async function reasonsOf(run_ids: readonly string[]): Promise<Record<string, string | null>> {
  const rows = await runSql<{ run_id: string; blocked_on: string | null }>(
    world.connection,
    "select run_id, blocked_on from run_queue where run_id = any($1)",
    [run_ids],
  );
  return Object.fromEntries(rows.map((row) => [row.run_id, row.blocked_on]));
}

describe("pausing a job", () => {
  it("blocks queued, blocked and delayed runs, and lets running ones finish; resuming restores each", async () => {
    const job = await makeJob(project, { max_concurrency: 2, max_attempts: 3 });
    const ids = await fillQueue(world.ctx, job, 4);
    const [first, second] = await claimSome(world.ctx, job, 4);
    const [late = ""] = await fillQueue(world.ctx, job, [{ delay_secs: 3_600 }]);
    const [queued = ""] = await fillQueue(world.ctx, job, 1);
    if (!first || !second) throw new Error("two should run");
    const blocked = ids.filter((id) => id !== first.run_id && id !== second.run_id);

    await project.api.post(`${job.path}/pause`);
    const reasons = await reasonsOf([...blocked, late, queued]);
    expect(new Set(Object.values(reasons))).toEqual(new Set([`paused_job:${job.id}`]));
    expect(await claimSome(world.ctx, job, 10)).toEqual([]);
    const outcome: Outcome = { kind: "failed", retryable: true, error: { code: "no", message: "No." } };
    expect(
      await settleRuns(world.ctx, [
        { run: first, outcome: COMPLETED },
        { run: second, outcome },
      ]),
    ).toEqual([true, true]);
    expect(await reasonsOf([second.run_id])).toEqual({ [second.run_id]: `paused_job:${job.id}` });
    expect((await project.api.post(`${job.path}/trigger`, {})).status).toBe(201);
    expect(await claimSome(world.ctx, job, 10)).toEqual([]);

    await project.api.post(`${job.path}/resume`);
    expect(await reasonsOf([late])).toEqual({ [late]: "not_due" });
    expect(await claimSome(world.ctx, job, 10)).toHaveLength(2);
    expect(await disorder(world.connection)).toEqual([]);
  });

  it("a claim that blocks a run while the job is resumed unblocks it again", async () => {
    const job = await makeJob(project, { max_concurrency: 5 });
    await fillQueue(world.ctx, job, 1);
    const running = await claimOne(world.ctx, job);
    const [id = ""] = await fillQueue(world.ctx, job, 1);
    await project.api.post(`${job.path}/pause`);
    await runSql(world.connection, "update run_queue set blocked_on = null where run_id = $1", [id]);
    const counter = [`job:${job.id}`];
    const gate = await holdGate(
      world.connection,
      "select 1 from concurrency_counters where key = $1 for update",
      counter,
    );
    const claim = claimSome(world.ctx, job);
    await whenBlocked(world.connection);
    expect((await project.api.post(`${job.path}/resume`)).status).toBe(200);
    await gate.open();
    expect(await claim).toEqual([]);
    expect(await reasonsOf([id])).toEqual({ [id]: null });
    await settleRuns(world.ctx, [{ run: running, outcome: COMPLETED }]);
  });

  it("a run that the pause has not blocked yet is not claimed, but blocked", async () => {
    const job = await makeJob(project);
    const [id = ""] = await fillQueue(world.ctx, job, 1);
    await runSql(world.connection, "update jobs set paused_at = clock() where id = $1", [job.id]);
    expect(await claimSome(world.ctx, job)).toEqual([]);
    expect(await reasonsOf([id])).toEqual({ [id]: `paused_job:${job.id}` });
  });

  it("blocks nothing if the job was resumed before its runs were blocked", async () => {
    const job = await makeJob(project);
    const [id = ""] = await fillQueue(world.ctx, job, 1);
    await blockJob(world.ctx, { project_id: project.id, job_id: job.id });
    expect(await reasonsOf([id])).toEqual({ [id]: null });
  });

  it("a run that is requeued while its job is resumed is not left blocked", async () => {
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 1);
    const run = await claimOne(world.ctx, job);
    await project.api.post(`${job.path}/pause`);
    const gate = await holdGate(world.connection, "select 1 from runs where id = $1 for update", [run.run_id]);
    const settled = settleRuns(world.ctx, [{ run, outcome: { kind: "drained" } }]);
    await whenBlocked(world.connection);
    expect((await project.api.post(`${job.path}/resume`)).status).toBe(200);
    await gate.open();
    expect(await settled).toEqual([true]);
    expect(await reasonsOf([run.run_id])).toEqual({ [run.run_id]: null });
  });

  it("again and again, among claims, retries and cancellations, leaves no run blocked", async () => {
    const job = await makeJob(project, { max_concurrency_per_key: 3, max_attempts: 100 });
    const keyed = Array.from({ length: sizeOf(50, 120) }, (_, nth) => ({ concurrency_key: `k${nth % 5}` }));
    const ids = await fillQueue(world.ctx, job, keyed);
    let isOver = false;
    const switching = (async () => {
      for (let pass = 0; pass < sizeOf(3, 6); pass++) {
        for (const verb of ["pause", "resume"])
          expect((await project.api.post(`${job.path}/${verb}`)).status).toBe(200);
      }
      isOver = true;
    })();
    const working = [1, 2, 3].map(async () => {
      while (!isOver) {
        const runs = await claimSome(world.ctx, job, 20);
        const outcome = (nth: number): Outcome => (nth % 3 === 0 ? { kind: "drained" } : COMPLETED);
        await settleRuns(
          world.ctx,
          runs.map((run, nth) => ({ run, outcome: outcome(nth) })),
        );
      }
    });
    const canceling = ids.slice(0, 15).map((id) => project.api.post(`/v1/runs/${id}/cancel`));
    for (const { status } of await Promise.all(canceling)) expect([200, 409]).toContain(status);
    await Promise.all([switching, ...working]);
    // A run that was blocked while its job was being resumed is unblocked after that commit; nothing awaits it.
    await until("no run to be left", 20_000, async () => {
      const runs = await claimSome(world.ctx, job, 200);
      await settleRuns(
        world.ctx,
        runs.map((run) => ({ run, outcome: COMPLETED })),
      );
      return Object.keys(await reasonsOf(ids)).length === 0;
    });
    expect(await disorder(world.connection)).toEqual([]);
  });
});

describe("pausing a running run", () => {
  it("takes effect when its attempt is drained or fails, and keeps it out of the queue", async () => {
    const job = await makeJob(project, { max_attempts: 3 });
    const failed: Outcome = { kind: "failed", retryable: true, error: { code: "no", message: "No." } };
    for (const outcome of [{ kind: "drained" }, failed] as Outcome[]) {
      await fillQueue(world.ctx, job, 1);
      const run = await claimOne(world.ctx, job);
      await project.api.post(`/v1/runs/${run.run_id}/pause`);
      expect(await settleRuns(world.ctx, [{ run, outcome }])).toEqual([true]);
      const { body } = await project.api.get(`/v1/runs/${run.run_id}`);
      expect(body).toMatchObject({ status: "paused", pause_requested: false });
      expect(await reasonsOf([run.run_id])).toEqual({});
    }
  });
});
