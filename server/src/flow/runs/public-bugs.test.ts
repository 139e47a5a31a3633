import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workflowBench } from "../../../test/costs/workflow-bench.ts";
import { disorder } from "../../../test/oracles/queue-order.ts";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { holderOf, sdkOf } from "../../../test/seed/running-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { dyingInstance } from "../../../test/world/dying-instance.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { claimOne, claimSome, fillQueue, makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import { testWorker } from "../../../test/world/test-worker.ts";
import { until } from "../../../test/world/until.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import { signRunToken } from "../../platform/access/credentials/run-token.ts";
import type { ClaimedRun } from "./claim/claimed-run.ts";
import type { LeasedRun, Outcome } from "./dispatch/outcome.ts";
import { settleRuns } from "./settle/settle-runs.ts";

/** Bugs reported publicly for other engines, reproduced here. Each title names the original issue. */

const COMPLETED: Outcome = { kind: "completed", result_json: "null" };
const FAILED: Outcome = { kind: "failed", retryable: true, error: { code: "no", message: "No." } };

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00.000Z");
});
beforeEach(async () => {
  project = await world.project();
});

const settle = (outcome: Outcome, ...runs: ClaimedRun[]) =>
  settleRuns(
    world.ctx,
    runs.map((run) => ({ run, outcome })),
  );

async function rowOf(run_id: string | undefined) {
  const [row] = await runSql(
    world.connection,
    "select status, attempt, tries_used, dead_lettered_at is not null as is_dead from runs where id = $1",
    [run_id],
  );
  return row;
}

/** The instance that holds them is silent until their leases have expired, and their next tries are due. */
async function loseLeases(): Promise<void> {
  await world.clock.pass("31s");
  await world.tick("sweep-leases");
  await becomeDue();
}

async function becomeDue(): Promise<void> {
  await world.clock.pass("2m");
  await world.tick("release-due-runs");
}

/** Completes runs until none can be claimed. Returns their ids, and checks that nothing is left behind. */
async function workOff(job: TestJob): Promise<string[]> {
  const done: string[] = [];
  for (;;) {
    const claimed = await claimSome(world.ctx, job, 10);
    if (claimed.length === 0) break;
    expect(await settle(COMPLETED, ...claimed)).not.toContain(false);
    done.push(...claimed.map(({ run_id }) => run_id));
  }
  expect(await disorder(world.connection)).toEqual([]);
  return done.sort();
}

describe("slots of a task that was dropped between claim and dispatch (hatchet#4494)", () => {
  it("are free again once its lease has expired, and the queue behind it runs", async () => {
    const job = await makeJob(project, { max_concurrency: 2 });
    const ids = await fillQueue(world.ctx, job, 5);
    expect(await claimSome(world.ctx, job, 5)).toHaveLength(2);
    expect(await claimSome(world.ctx, job, 5)).toEqual([]);
    await loseLeases();
    expect(await workOff(job)).toEqual(ids.toSorted());
  });
});

describe("a retry count that is stale (hatchet#4969)", () => {
  it("late results of earlier attempts use no try, and the last try is the last", async () => {
    const job = await makeJob(project, { max_attempts: 3, retry_strategy: "custom", retry_delays_secs: [1] });
    const [id] = await fillQueue(world.ctx, job, 1);
    const first = await claimOne(world.ctx, job);
    expect(await settle(FAILED, first)).toEqual([true]);
    await becomeDue();
    const second = await claimOne(world.ctx, job);
    await loseLeases();
    const third = await claimOne(world.ctx, job);
    const before = await rowOf(id);
    expect(before).toMatchObject({ status: "running", attempt: 3, tries_used: 2 });
    expect(await settle(FAILED, first)).toEqual([false]);
    expect(await settle(FAILED, { ...second, attempt: 3, tries_used: 0 })).toEqual([false]);
    expect(await rowOf(id)).toEqual(before);
    expect(await settle(FAILED, third)).toEqual([true]);
    expect(await rowOf(id)).toEqual({ status: "failed", attempt: 3, tries_used: 3, is_dead: true });
    expect(await workOff(job)).toEqual([]);
  });
});

describe("recovered work that blocks a queue of one (dbos-transact-py#805)", () => {
  it("a workflow whose instance died between two steps holds no slot, and goes on", async () => {
    await project.api.post("/v1/queues", { name: "one", max_concurrency: 1 });
    const bench = await workflowBench(world, project, { queue: "one" });
    // Accepted: they run until the test reports their end.
    for (const ref of ["a", "b"]) bench.onDispatch(ref, () => ({ status: 202 }));
    const workflow = await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]);
    const interrupted = await bench.run(workflow);
    const later = await bench.run(workflow);
    expect([interrupted.statuses.a, await runningIds()]).toEqual(["running", [interrupted.steps.a.run_id]]);
    const { ctx, die } = dyingInstance(world.ctx);
    expect(await settleRuns(ctx, [{ run: await leasedRun(interrupted.steps.a.run_id), outcome: COMPLETED }])).toEqual([
      true,
    ]);
    die();
    await world.runUntilIdle();
    expect(await runningIds()).toEqual([(await bench.read(later.run.id)).steps.a.run_id]);

    await world.clock.pass("30s");
    await world.tick("reconcile-workflows");
    for (let [id] = await runningIds(); id !== undefined; [id] = await runningIds()) {
      await (await holderOf(world, id)).sdk.post("/complete", { result: {} });
      await world.runUntilIdle();
    }
    const ended = await Promise.all([interrupted, later].map(({ run }) => bench.read(run.id)));
    expect(ended.map(({ run }) => run.status)).toEqual(["completed", "completed"]);
    expect(await disorder(world.connection)).toEqual([]);
  });

  const runningIds = async () =>
    (
      await runSql<{ id: string }>(
        world.connection,
        "select id from runs where project_id = $1 and status = 'running' order by id",
        [project.id],
      )
    ).map(({ id }) => id);

  async function leasedRun(run_id: string): Promise<LeasedRun> {
    const [run] = await runSql<LeasedRun>(
      world.connection,
      `select r.project_id, r.id as run_id, r.job_version_id, r.attempt, q.lease_token, r.tries_used, r.crash_count,
         r.max_attempts, q.slots
       from runs r join run_queue q on q.run_id = r.id where r.id = $1`,
      [run_id],
    );
    if (!run) throw new Error("the run has no lease");
    return run;
  }
});

describe("a run suspended for ever with a key held (restate#5196)", () => {
  async function twoOfOneKey() {
    const job = await makeJob(project, { max_concurrency_per_key: 1 });
    const ids = await fillQueue(world.ctx, job, [{ concurrency_key: "k" }, { concurrency_key: "k" }]);
    const suspended = await claimOne(world.ctx, job);
    expect(await claimSome(world.ctx, job, 2)).toEqual([]);
    return { job, suspended, other: ids.find((id) => id !== suspended.run_id) };
  }

  it("while it waits, its key is free; and the wait ends by its timeout", async () => {
    const { job, suspended, other } = await twoOfOneKey();
    const sdk = sdkOf(world, suspended.run_id, signRunToken(world.ctx, suspended));
    expect((await sdk.post("/wait-for-event", { event_key: "never", timeout_secs: 60 })).status).toBe(201);
    expect(await workOff(job)).toEqual([other]);
    expect(await rowOf(suspended.run_id)).toMatchObject({ status: "waiting" });
    await world.clock.pass("61s");
    await world.tick("resolve-due-triggers");
    expect(await rowOf(suspended.run_id)).toMatchObject({ status: "timed_out" });
    expect(await workOff(job)).toEqual([]);
  });

  it("an attempt that was accepted and then hangs loses its key with its heartbeat", async () => {
    const { job, suspended, other } = await twoOfOneKey();
    expect(await settle({ kind: "accepted" }, suspended)).toEqual([true]);
    await world.clock.pass("61s");
    await world.tick("sweep-leases");
    expect(await workOff(job)).toContain(other);
    await becomeDue();
    await workOff(job);
    expect(await rowOf(suspended.run_id)).toMatchObject({ status: "completed", attempt: 2 });
  });
});

describe("canceled runs that occupy a pool (prefect#17415)", () => {
  it("whether running, blocked or about to be claimed, they leave their slot to the next", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    const [, blocked, next, last] = await fillQueue(world.ctx, job, 4);
    const running = await claimOne(world.ctx, job);
    const cancel = async (id: string | undefined) =>
      expect((await project.api.post(`/v1/runs/${id}/cancel`)).status).toBe(200);
    await cancel(blocked);
    await cancel(running.run_id);
    expect(await settle(COMPLETED, running), "its late result").toEqual([false]);
    await cancel(next);
    expect(await workOff(job)).toEqual([last]);
  });
});

describe("a backlog frozen behind a row that cannot be processed (dagster#28456)", () => {
  /** Two jobs in one lane, of which one has headers that nothing can decrypt. */
  async function lane() {
    const endpoint_url = (await jobEndpoint()).url;
    const [poisoned, healthy] = [await makeJob(project, { endpoint_url }), await makeJob(project, { endpoint_url })];
    const broken = "update job_versions set headers = '\\x00' where project_id = $1 and job_id = $2";
    await runSql(world.connection, broken, [project.id, poisoned.id]);
    const [bad] = await fillQueue(world.ctx, poisoned, 1);
    return { job: healthy, bad, good: await fillQueue(world.ctx, healthy, 2) };
  }

  it("is dispatched past a run whose headers cannot be read", async () => {
    const { bad, good } = await lane();
    await world.tick("poll-queue");
    await world.runUntilIdle();
    for (const id of good) expect(await rowOf(id)).toMatchObject({ status: "completed" });
    expect(await rowOf(bad)).toMatchObject({ status: "pending", tries_used: 0 });
  });

  it("is rescued together with it when its leases expire", async () => {
    const { job, bad, good } = await lane();
    expect(await claimSome(world.ctx, job, 3)).toHaveLength(3);
    await loseLeases();
    expect(await workOff(job)).toEqual([...good, bad].toSorted());
  });

  it("is claimed by a worker past a run whose variables cannot be read", async () => {
    await project.api.post("/v1/jobs", { name: "Mail", delivery: "pull" });
    const broken = "update environments set variables = '\\x00' where project_id = $1 and slug = 'staging'";
    await runSql(world.connection, broken, [project.id]);
    const bad = await project.api.post("/v1/jobs/mail/trigger", { environment_id: "staging" });
    const good = await project.api.post("/v1/jobs/mail/trigger", {});
    const claimed: string[] = [];
    await until("the other run", 20_000, async () => {
      claimed.push(...(await testWorker(project.api).claim()).map(({ run_id }) => run_id));
      return claimed.length > 0;
    });
    expect(claimed).toEqual([good.body.id]);
    await until("the run to be put back", 20_000, async () => (await rowOf(bad.body.id))?.status === "pending");
    expect(await rowOf(bad.body.id)).toMatchObject({ tries_used: 0 });
  });
});
