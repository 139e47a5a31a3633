import { beforeAll, describe, expect, it } from "vitest";
import { disorder } from "../../../test/oracles/queue-order.ts";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { instanceStarted } from "../../../test/seed/instance-started.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { claimOne, claimSome, fillQueue, holdGate, makeJob, whenBlocked } from "../../../test/world/queue-world.ts";
import { until } from "../../../test/world/until.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import { renewLeases } from "./claim/renew-leases.ts";
import type { Outcome } from "./dispatch/outcome.ts";
import { sweepLeases } from "./maintain/sweep-leases.ts";
import { settleRuns } from "./settle/settle-runs.ts";

const COMPLETED: Outcome = { kind: "completed", result_json: '"late"' };
const FAILED: Outcome = { kind: "failed", retryable: true, error: { code: "no", message: "No." } };

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  await untilUp([world]);
  await world.clock.set("2030-01-01T00:00:00.000Z");
  project = await world.project();
});

type Row = { status: string; attempt: number; tries_used: number; crash_count: number; cause: string; code: string };

async function rowOf(run_id: string): Promise<Row & Record<string, unknown>> {
  const [row] = await runSql<Row & Record<string, unknown>>(
    world.connection,
    `select r.*, t.cause, r.error ->> 'code' as code, r.dead_lettered_at is not null as is_dead,
       q.lease_until, q.lease_token, q.instance_id, q.accepted_at, q.deadline, q.blocked_on, q.slots
     from runs r join run_history t on t.run_id = r.id and t.ordinal = r.transition_count
     left join run_queue q on q.run_id = r.id where r.id = $1`,
    [run_id],
  );
  if (!row) throw new Error("no such run");
  return row;
}

/** The instance of a claimed run is silent for longer than its lease, and its next try falls due. */
async function crash(): Promise<void> {
  await world.clock.pass("31s");
  await world.tick("sweep-leases");
  await world.clock.pass("2m");
  await world.tick("release-due-runs");
}

describe("an expired lease", () => {
  it("R1 is rescued with a higher attempt; responses of the old one are ignored", async () => {
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 1);
    const old = await claimOne(world.ctx, job);
    await world.clock.pass("29s");
    await world.tick("sweep-leases");
    expect(await rowOf(old.run_id)).toMatchObject({ status: "running", attempt: 1 });
    await crash();
    expect(await rowOf(old.run_id)).toMatchObject({
      status: "pending",
      tries_used: 1,
      crash_count: 1,
      code: "lease_lost",
    });

    const next = await claimOne(world.ctx, job);
    expect([next.run_id, next.attempt]).toEqual([old.run_id, 2]);
    expect(next.lease_token).not.toBe(old.lease_token);
    const before = await rowOf(old.run_id);
    for (const outcome of [COMPLETED, FAILED, { kind: "accepted" }, { kind: "drained" }] as Outcome[]) {
      expect(await settleRuns(world.ctx, [{ run: old, outcome }])).toEqual([false]);
      expect(await settleRuns(world.ctx, [{ run: { ...old, attempt: 2 }, outcome }])).toEqual([false]);
    }
    expect(await renewLeases(world.ctx, [old])).toEqual([old.run_id]);
    expect(await rowOf(old.run_id)).toEqual(before);
    expect(await settleRuns(world.ctx, [{ run: next, outcome: COMPLETED }])).toEqual([true]);
  });

  it("R1 is rescued after a jump of the database's clock only once its holder had the time to renew it", async () => {
    const job = await makeJob(project, { heartbeat_timeout_secs: 90 });
    await fillQueue(world.ctx, job, 2);
    const [accepted, run] = [await claimOne(world.ctx, job), await claimOne(world.ctx, job)];
    expect(await settleRuns(world.ctx, [{ run: accepted, outcome: { kind: "accepted" } }])).toEqual([true]);
    await world.clock.pass("1h");
    const statuses = async (sinceJumpMs: number) => {
      await sweepLeases({ ...world.ctx, watch: { ...world.ctx.watch, sinceJumpMs: () => sinceJumpMs } });
      return Promise.all([accepted, run].map(async ({ run_id }) => (await rowOf(run_id)).status));
    };
    expect(await statuses(29_000)).toEqual(["running", "running"]);
    expect(await statuses(30_000)).toEqual(["running", "pending"]);
    expect(await statuses(89_000)).toEqual(["running", "pending"]);
    expect((await statuses(90_000))[0]).not.toBe("running");
  });

  it("R1 of an accepted run, which ran out while the service was away, is not lost before it can send a heartbeat", async () => {
    const job = await makeJob(project, { heartbeat_timeout_secs: 20 });
    await fillQueue(world.ctx, job, 2);
    const [accepted, run] = [await claimOne(world.ctx, job), await claimOne(world.ctx, job)];
    expect(await settleRuns(world.ctx, [{ run: accepted, outcome: { kind: "accepted" } }])).toEqual([true]);
    await world.clock.pass("600s");
    await instanceStarted(world);
    const statuses = async (passes: string) => {
      await world.clock.pass(passes);
      await world.tick("sweep-leases");
      return Promise.all([accepted, run].map(async ({ run_id }) => (await rowOf(run_id)).status));
    };
    expect(await statuses("19s")).toEqual(["running", "pending"]);
    expect((await statuses("1s"))[0]).not.toBe("running");
  });

  it("R1 that lies in the future, since the database's clock went back, ends after the length of a lease", async () => {
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 1);
    const { run_id } = await claimOne(world.ctx, job);
    await world.clock.goBack("1h");
    await world.tick("reconcile-queue");
    await world.clock.pass("29s");
    await world.tick("sweep-leases");
    expect((await rowOf(run_id)).status).toBe("running");
    await world.clock.pass("1s");
    await world.tick("sweep-leases");
    expect((await rowOf(run_id)).status).toBe("pending");
  });

  it("three times ends a run in the dead-letter queue, whatever its max_attempts", async () => {
    const job = await makeJob(project, { max_attempts: 100 });
    const [id = ""] = await fillQueue(world.ctx, job, 1);
    for (let nth = 1; nth <= 3; nth++) {
      expect((await claimOne(world.ctx, job)).attempt).toBe(nth);
      await crash();
    }
    expect(await rowOf(id)).toMatchObject({
      status: "failed",
      crash_count: 3,
      attempt: 3,
      code: "lease_lost",
      is_dead: true,
    });
    expect(await claimSome(world.ctx, job)).toEqual([]);
  });

  it("with max_attempts 1 the run is not dispatched again", async () => {
    const job = await makeJob(project, { max_attempts: 1 });
    const [id = ""] = await fillQueue(world.ctx, job, 1);
    await claimOne(world.ctx, job);
    await crash();
    expect(await rowOf(id)).toMatchObject({ status: "failed", attempt: 1, cause: "lease_lost", is_dead: true });
    expect(await claimSome(world.ctx, job)).toEqual([]);
  });

  it("is rescued once by three concurrent sweeps, and its slot is released once", async () => {
    const job = await makeJob(project, { max_concurrency: 20 });
    await fillQueue(world.ctx, job, 20);
    expect(await claimSome(world.ctx, job, 20)).toHaveLength(20);
    await world.clock.pass("31s");
    await Promise.all([1, 2, 3].map(() => world.tick("sweep-leases")));
    expect(await disorder(world.connection)).toEqual([]);
  });
});

describe("a renewal", () => {
  it("that comes before or during the sweep wins", async () => {
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 1);
    const run = await claimOne(world.ctx, job);
    expect(await settleRuns(world.ctx, [{ run, outcome: { kind: "lease_lost" }, is_expired: true }])).toEqual([false]);
    await world.clock.pass("31s");
    const renewal = "update run_queue set lease_until = clock() + interval '30 seconds' where run_id = $1";
    const gate = await holdGate(world.connection, renewal, [run.run_id]);
    const swept = world.tick("sweep-leases");
    await whenBlocked(world.connection);
    await gate.open();
    await swept;
    expect(await rowOf(run.run_id)).toMatchObject({ status: "running", attempt: 1, crash_count: 0 });
    expect(await settleRuns(world.ctx, [{ run, outcome: COMPLETED }])).toEqual([true]);
  });

  it("keeps the lease of a dispatch that takes longer", async () => {
    const endpoint = await jobEndpoint();
    const held: (() => void)[] = [];
    endpoint.respondWith((_, response) => void held.push(() => response.end("{}")));
    const job = await makeJob(project, { endpoint_url: endpoint.url });
    const [id = ""] = await fillQueue(world.ctx, job, 1);
    await world.tick("poll-queue");
    await until("the dispatch", 20_000, () => held.length === 1);
    for (let pass = 0; pass < 4; pass++) {
      await world.clock.pass("20s");
      await world.tick("renew-leases");
      await world.tick("sweep-leases");
    }
    expect(await rowOf(id)).toMatchObject({ status: "running", attempt: 1 });
    held[0]?.();
    await until("it to be settled", 20_000, async () => (await rowOf(id)).status === "completed");
  });

  it.each([
    ["ends", COMPLETED, { status: "completed" }],
    [
      "comes back into the queue",
      FAILED,
      { status: "pending", tries_used: 1, lease_until: null, blocked_on: "not_due" },
    ],
    [
      "is drained",
      { kind: "drained" } as Outcome,
      { status: "pending", tries_used: 0, lease_until: null, blocked_on: null },
    ],
  ])("is not lost while the run %s", async (_, outcome, expected) => {
    const job = await makeJob(project, { max_concurrency: 1 });
    await fillQueue(world.ctx, job, 1);
    const run = await claimOne(world.ctx, job);
    const renewal = "update run_queue set lease_until = lease_until + interval '1 second' where run_id = $1";
    const gate = await holdGate(world.connection, renewal, [run.run_id]);
    const settled = settleRuns(world.ctx, [{ run, outcome }]);
    await whenBlocked(world.connection);
    await gate.open();
    expect(await settled).toEqual([true]);
    expect(await rowOf(run.run_id)).toMatchObject(expected);
    expect(await disorder(world.connection)).toEqual([]);
  });
});

describe("draining", () => {
  it("requeues what is still in flight at once and uses no try; another instance continues with it", async () => {
    const endpoint = await jobEndpoint();
    endpoint.respondWith(
      () => {},
      () => {},
      200,
    );
    const job = await makeJob(project, { endpoint_url: endpoint.url, max_attempts: 1, max_concurrency: 2 });
    const ids = await fillQueue(world.ctx, job, 2);
    const leaving = await world.anotherInstance({ shutdown_grace_secs: 0 });
    leaving.service.startTasks();
    await until("the dispatches", 20_000, () => endpoint.dispatches.length === 2);
    await leaving.service.close();
    for (const id of ids) {
      expect(await rowOf(id)).toMatchObject({ status: "pending", attempt: 1, tries_used: 0, cause: "drained" });
    }
    expect(await disorder(world.connection)).toEqual([]);
    await world.runUntilIdle();
    for (const id of ids) expect(await rowOf(id)).toMatchObject({ status: "completed", attempt: 2, tries_used: 0 });
  });
});

describe("run_ttl_secs", () => {
  it.each([{}, { max_concurrency: 9 }])(
    "does not end a run that has started, while it waits for its retry",
    async (more) => {
      const retry = { retry_strategy: "custom", retry_delays_secs: [200] };
      const job = await makeJob(project, { run_ttl_secs: 100, ...retry, ...more });
      const [id = ""] = await fillQueue(world.ctx, job, 1);
      await settleRuns(world.ctx, [{ run: await claimOne(world.ctx, job), outcome: FAILED }]);
      const [late = ""] = await fillQueue(world.ctx, job, 1);
      await world.clock.pass("150s");
      const [fresh = ""] = await fillQueue(world.ctx, job, 1);
      await world.tick("expire-runs");
      expect(await rowOf(id)).toMatchObject({ status: "pending", tries_used: 1 });
      expect(await rowOf(late)).toMatchObject({ status: "canceled", code: "expired" });
      expect(await rowOf(fresh)).toMatchObject({ status: "pending" });
    },
  );
});

describe("the database itself", () => {
  it("refuses an illegal transition", async () => {
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 1);
    const run = await claimOne(world.ctx, job);
    await settleRuns(world.ctx, [{ run, outcome: COMPLETED }]);
    for (const status of ["running", "pending", "canceled"]) {
      const move = "update runs set prev_status = status, status = $2, finished_at = null where id = $1";
      await expect(runSql(world.connection, move, [run.run_id, status])).rejects.toThrow(/runs_transitions|runs_check/);
    }
  });
});
