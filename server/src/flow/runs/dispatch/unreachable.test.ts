import type { Run } from "@millrace/contract/runs/runs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DispatchBench, dispatchBench, pollQueue } from "../../../../test/costs/dispatch-bench.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import type { World } from "../../../../test/world/world.ts";
import { dispatcherOf } from "../../../engine/dispatcher.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
});
/** Otherwise the hosts of earlier tests would be probed, and their runs dispatched, in every second of the later ones. */
afterEach(async () => {
  await runSql(world.connection, "delete from run_queue");
  await runSql(world.connection, "delete from circuits");
});

/** Advances the time in steps of a second, and runs everything that is due then. */
async function pass(secs: number): Promise<void> {
  for (let n = 0; n < secs; n++) {
    await world.clock.pass("1s");
    await world.runUntilIdle();
  }
}

/** Advances the time in as many steps as durations. */
async function passTo(...durations: string[]): Promise<void> {
  for (const duration of durations) {
    await world.clock.pass(duration);
    await world.runUntilIdle();
  }
}

/** A host that responded once and then became unreachable. */
async function awayBench(): Promise<DispatchBench> {
  const bench = await dispatchBench(world);
  await bench.run();
  await world.runUntilIdle();
  await world.tick("record-first-responses");
  await bench.endpoint.close();
  bench.endpoint.dispatches.length = 0;
  return bench;
}

async function triggerMany({ project }: DispatchBench, job_id: string, count: number): Promise<string[]> {
  const items = Array.from({ length: count }, () => ({}));
  const { body } = await project.api.post(`/v1/jobs/${job_id}/trigger/bulk`, { items });
  return body.results.map(({ run_id }: { run_id: string }) => run_id);
}

async function circuitOf({ project }: DispatchBench) {
  const [row] = await runSql<{ status: string; cause: string; good_probes: number; down_since: string | null }>(
    world.connection,
    "select status, cause, good_probes, down_since from circuits where project_id = $1",
    [project.id],
  );
  return row;
}

async function blockedOf({ project }: DispatchBench): Promise<Record<string, number>> {
  const rows = await runSql<{ reason: string; count: number }>(
    world.connection,
    `select split_part(coalesce(blocked_on, 'none'), ':', 1) as reason, count(*)::int from run_queue
     where project_id = $1 group by 1`,
    [project.id],
  );
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}

async function summary({ project }: DispatchBench): Promise<Record<string, number>> {
  const rows = await runSql<{ state: string; count: number }>(
    world.connection,
    "select status || ' ' || tries_used as state, count(*)::int from runs where project_id = $1 group by 1",
    [project.id],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** Enough runs to open the circuit. */
async function openBench(count: number, job: object = {}) {
  const bench = await awayBench();
  const job_id = await bench.job(job);
  const run_ids = await triggerMany(bench, job_id, count);
  await world.runUntilIdle();
  await pass(1);
  expect(await circuitOf(bench)).toMatchObject({ status: "open", cause: "unreachable" });
  return { ...bench, job_id, run_ids };
}

describe("an endpoint that cannot be reached", () => {
  it("R17 uses no try: the run goes back and is tried again after 1, 2, 2 s, until the endpoint responds", async () => {
    const bench = await awayBench();
    const run_id = await bench.run({ max_attempts: 1 });
    await world.runUntilIdle();
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      const run: Run = await bench.read(run_id);
      expect(run).toMatchObject({ status: "pending", attempt, tries_used: 0, error: { code: "endpoint_connect" } });
      delays.push((Date.parse(run.scheduled_at) - Date.parse(run.updated_at)) / 1_000);
      await world.clock.set(run.scheduled_at);
      await world.runUntilIdle();
    }
    expect(delays).toEqual([1, 2, 2]);
    await bench.endpoint.reopen();
    await pass(2);
    expect(await bench.read(run_id)).toMatchObject({ status: "completed", tries_used: 0, error: null });
    const causes = (await bench.transitions(run_id)).map(({ cause }) => cause);
    expect(new Set(causes)).toEqual(new Set(["created", "claimed", "unreachable", "completed"]));
    expect(await circuitOf(bench)).toMatchObject({ status: "closed", down_since: null });
  });

  it("R17 opens its circuit after five failures in 10 s; none of its runs is dispatched until it is back", async () => {
    const bench = await openBench(8);
    const before = await Promise.all(bench.run_ids.map(bench.read));
    expect(await blockedOf(bench)).toEqual({ circuit: 8 });
    await passTo("1s", "4s", "5s");
    expect(await Promise.all(bench.run_ids.map(bench.read))).toEqual(before);
    expect(await summary(bench)).toEqual({ "completed 0": 1, "pending 0": 8 });
  });

  it("R17 has 1, 2 and 4 runs released in the first seconds after a good probe, then all", async () => {
    const bench = await openBench(40);
    await bench.endpoint.reopen();
    const counts: number[] = [];
    for (let second = 0; second < 5; second++) {
      await pass(1);
      counts.push(bench.endpoint.dispatches.length);
    }
    expect(counts).toEqual([1, 3, 7, 40, 40]);
    expect(await summary(bench)).toEqual({ "completed 0": 41 });
    expect(await circuitOf(bench)).toMatchObject({ status: "closed", down_since: null });
  });

  it("R17 is probed again if a released run fails", async () => {
    const bench = await openBench(10);
    await bench.endpoint.reopen();
    await pass(1);
    await bench.endpoint.close();
    await pass(1);
    expect(await circuitOf(bench)).toMatchObject({ status: "open", good_probes: 0 });
    expect(await summary(bench)).toEqual({ "completed 0": 2, "pending 0": 9 });
  });

  it("R17 keeps its circuit closed while it responds in between", async () => {
    const bench = await awayBench();
    const job_id = await bench.job();
    for (let n = 0; n < 3; n++) {
      await triggerMany(bench, job_id, 3);
      await world.runUntilIdle();
      await bench.endpoint.reopen();
      await pass(2);
      await bench.endpoint.close();
    }
    expect(await circuitOf(bench)).toMatchObject({ status: "closed", down_since: null });
    expect(await summary(bench)).toEqual({ "completed 0": 10 });
  });

  /** `stepSecs`: in `npm test`, so many seconds pass at once, with a run for each. */
  it.each([
    { downSecs: 60, stepSecs: 12 },
    { downSecs: 600, stepSecs: 60 },
  ])(
    "R17 that is down for $downSecs s under load costs no run and no try, and all are done 10 s after it is back",
    {
      timeout: 900_000,
    },
    async ({ downSecs, ...usual }) => {
      const bench = await awayBench();
      const [job_id, perSecond] = [await bench.job({ max_attempts: 1 }), sizeOf(1, 50)];
      const stepSecs = sizeOf(usual.stepSecs, 1);
      for (let second = 0; second < downSecs; second += stepSecs) {
        await triggerMany(bench, job_id, stepSecs * perSecond);
        await world.clock.pass(`${stepSecs}s`);
        await world.runUntilIdle();
      }
      await bench.endpoint.reopen();
      for (let second = 0; second < 10; second += 1) {
        await triggerMany(bench, job_id, perSecond);
        await pass(1);
      }
      const all = (downSecs + 10) * perSecond;
      expect(await summary(bench)).toEqual({ "completed 0": 1 + all });
      expect(bench.endpoint.dispatches).toHaveLength(all);
    },
  );

  it("R17 holds no slot of a limit", async () => {
    const bench = await awayBench();
    const job_id = await bench.job({ max_concurrency: 1 });
    await triggerMany(bench, job_id, 8);
    await world.runUntilIdle();
    await pass(3);
    const counters = await runSql(
      world.connection,
      "select active from concurrency_counters where project_id = $1 and active > 0",
      [bench.project.id],
    );
    expect(counters).toEqual([]);
    await bench.endpoint.reopen();
    await pass(8);
    expect(await summary(bench)).toEqual({ "completed 0": 9 });
  });

  it("R17 leaves its runs to be canceled and paused", async () => {
    const bench = await openBench(8);
    const [canceled = "", paused = ""] = bench.run_ids;
    expect((await bench.project.api.post(`/v1/runs/${canceled}/cancel`)).status).toBe(200);
    expect((await bench.project.api.post(`/v1/runs/${paused}/pause`)).status).toBe(200);
    await bench.endpoint.reopen();
    await pass(5);
    expect([(await bench.read(canceled)).status, (await bench.read(paused)).status]).toEqual(["canceled", "paused"]);
    await bench.project.api.post(`/v1/runs/${paused}/resume`);
    await world.runUntilIdle();
    expect(await summary(bench)).toEqual({ "completed 0": 8, "canceled 0": 1 });
  });

  it("R17 concerns only its project", async () => {
    const bench = await openBench(8);
    const neighbor = await dispatchBench(world);
    await bench.endpoint.reopen();
    const run_id = await neighbor.run({ endpoint_url: bench.endpoint.url });
    await world.runUntilIdle();
    expect((await neighbor.read(run_id)).status).toBe("completed");
    expect((await circuitOf(neighbor))?.status ?? "closed").toBe("closed");
  });
});

describe("a run that waits for its endpoint", () => {
  /** Failures more than two minutes apart do not belong together. */
  const NINE_MINUTES = Array.from({ length: 5 }, () => "108s");

  it("R18 fails after unreachable_timeout_secs, without a try used, and is a dead letter", async () => {
    const bench = await openBench(8, { unreachable_timeout_secs: 30 });
    await world.clock.pass("28s");
    await world.runUntilIdle();
    expect(await summary(bench)).toEqual({ "completed 0": 1, "pending 0": 8 });
    await world.clock.pass("3s");
    await world.tick("fail-unreachable-runs");
    expect(await summary(bench)).toEqual({ "completed 0": 1, "failed 0": 8 });
    const run = await bench.read(bench.run_ids[0] ?? "");
    expect(run).toMatchObject({ error: { code: "endpoint_unreachable" }, dead_lettered_at: expect.any(String) });
    expect(run.error?.message).toContain("could not be reached since 2030-01-01T");
  });

  it("R18 fails after ten minutes if the host has never responded", async () => {
    const bench = await dispatchBench(world);
    await bench.endpoint.close();
    const run_id = await bench.run();
    await world.runUntilIdle();
    await passTo("30s", ...NINE_MINUTES);
    expect((await bench.read(run_id)).status).toBe("pending");
    await passTo("30s", "30s");
    const { status, error } = await bench.read(run_id);
    expect([status, error?.code]).toEqual(["failed", "endpoint_unreachable"]);
    expect(error?.message).toContain("has never responded. Check the address");
  });

  it("R18 does not fail after ten minutes if the host has responded before", async () => {
    const bench = await awayBench();
    const run_id = await bench.run();
    await world.runUntilIdle();
    await passTo("30s", ...NINE_MINUTES, "90s");
    expect((await bench.read(run_id)).status).toBe("pending");
    await bench.endpoint.reopen();
    await pass(5);
    expect((await bench.read(run_id)).status).toBe("completed");
  });
});

describe("several instances", () => {
  it("R17 count the failures of a host together, and only one of them probes it", async () => {
    const bench = await awayBench();
    const other = await world.anotherInstance();
    const job_id = await bench.job();
    for (const { ctx } of [world, other]) {
      const before = (await circuitOf(bench))?.status;
      expect(before).toBe("closed");
      await triggerMany(bench, job_id, 3);
      await pollQueue(ctx);
      await dispatcherOf(ctx).idle();
    }
    await expect.poll(async () => (await circuitOf(bench))?.status, { timeout: 20_000 }).toBe("open");
    await bench.endpoint.reopen();
    for (let second = 0; second < 6; second++) {
      await world.clock.pass("1s");
      await Promise.all([world, other].map(({ ctx }) => dispatcherOf(ctx).probe()));
      await Promise.all([world, other].map(({ ctx }) => dispatcherOf(ctx).idle()));
      await world.runUntilIdle();
    }
    expect(await summary(bench)).toEqual({ "completed 0": 7 });
  });

  it("R17 that are gone leave their waiting runs to the next one", async () => {
    const bench = await openBench(12);
    await world.clock.pass("1s");
    const other = await world.anotherInstance();
    await bench.endpoint.reopen();
    for (let second = 0; second < 5; second++) {
      await world.clock.pass("1s");
      await dispatcherOf(other.ctx).probe();
      await dispatcherOf(other.ctx).idle();
      await dispatcherOf(other.ctx).readCircuits();
      await pollQueue(other.ctx);
      await dispatcherOf(other.ctx).idle();
    }
    expect(await summary(bench)).toEqual({ "completed 0": 13 });
  });
});
