import { beforeAll, describe, expect, it, vi } from "vitest";
import { type DispatchBench, dispatchBench, pollQueue, runWhenDue } from "../../../../test/costs/dispatch-bench.ts";
import type { Dispatch, Script } from "../../../../test/outside/job-endpoint.ts";
import { sdkOf } from "../../../../test/seed/running-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { claimSome, type TestJob } from "../../../../test/world/queue-world.ts";
import { until } from "../../../../test/world/until.ts";
import { untilSubscribed } from "../../../../test/world/until-subscribed.ts";
import { untilUp } from "../../../../test/world/until-up.ts";
import type { World } from "../../../../test/world/world.ts";
import { dispatcherOf } from "../../../engine/dispatcher.ts";
import { openSettler } from "../../../engine/settler.ts";
import { startDispatcher } from "../../../engine/start-dispatcher.ts";
import { connectStarter } from "../create/start-locally.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
});

const sdk = (dispatch: Dispatch | undefined) =>
  sdkOf(world, dispatch?.run_id ?? "", String(dispatch?.headers["x-svc-run-token"]));

/** An endpoint that keeps requests waiting until the test sets the response. */
function holding() {
  const held: ((status: number, body?: unknown) => void)[] = [];
  const script: Script = (_, response) =>
    void held.push((status, body) => response.writeHead(status).end(body === undefined ? "" : JSON.stringify(body)));
  return { held, script };
}

describe("a run canceled during its dispatch", () => {
  it("R15 has its connection closed, whichever instance canceled it", async () => {
    const live = await makeFlowWorld();
    const other = await live.anotherInstance();
    await untilUp([live, other]);
    const benches = [await dispatchBench(live, () => {}), await dispatchBench(live, () => {})];
    // Without the tasks: the renewal of leases would close the connections too, ten seconds later.
    startDispatcher(live.ctx, (starter) => connectStarter(live.ctx, starter));
    await untilSubscribed(other, live);
    for (const [nth, url] of [live.url, other.url].entries()) {
      const { project, endpoint, run, read } = benches[nth] as DispatchBench;
      const run_id = await run();
      await pollQueue(live.ctx);
      await until("the dispatch", 20_000, () => endpoint.dispatches.length === 1);
      const headers = { authorization: `Bearer ${project.key}` };
      expect((await fetch(`${url}/v1/runs/${run_id}/cancel`, { method: "POST", headers })).status).toBe(200);
      await until("the connection to close", 20_000, () => endpoint.dispatches[0]?.ended_at !== undefined);
      expect(await read(run_id)).toMatchObject({ status: "canceled", attempt: 1 });
    }
  });

  it("R15 stays canceled although its endpoint still responds", async () => {
    const { held, script } = holding();
    const { project, run, read } = await dispatchBench(world, script);
    const run_id = await run();
    await pollQueue(world.ctx);
    await until("dispatch 1", 20_000, () => held.length === 1);
    await project.api.post(`/v1/runs/${run_id}/cancel`);
    held[0]?.(200, { late: true });
    await world.runUntilIdle();
    expect(await read(run_id)).toMatchObject({ status: "canceled", result: null });
  });
});

describe("a run whose endpoint returns 202", () => {
  it("R1 continues by itself, without a connection, and ends when it reports its end", async () => {
    const { endpoint, run, read } = await dispatchBench(world, 202);
    const run_id = await run();
    await world.runUntilIdle();
    expect(await read(run_id)).toMatchObject({ status: "running", attempt: 1, result: null });
    const [queued] = await runSql(
      world.connection,
      "select instance_id, accepted_at from run_queue where run_id = $1",
      [run_id],
    );
    expect(queued).toEqual({ instance_id: null, accepted_at: expect.any(Date) });
    expect((await sdk(endpoint.dispatches[0]).post("/complete", { result: { done: 1 } })).status).toBe(200);
    expect(await read(run_id)).toMatchObject({ status: "completed", result: { done: 1 } });
    await world.runUntilIdle();
    expect(endpoint.dispatches).toHaveLength(1);
  });

  it("R1 that completed before the 202 was stored stays completed", async () => {
    const { run, read } = await dispatchBench(world, async (dispatch, response) => {
      await sdk(dispatch).post("/complete", { result: "first" });
      response.writeHead(202).end();
    });
    const run_id = await run();
    await world.runUntilIdle();
    expect(await read(run_id)).toMatchObject({ status: "completed", result: "first" });
    expect(await runSql(world.connection, "select 1 from run_queue where run_id = $1", [run_id])).toEqual([]);
  });

  it("R1 is kept alive by heartbeats every 45 s, and rescued after 60 s without one", async () => {
    const { endpoint, run, read, transitions } = await dispatchBench(world, 202);
    const run_id = await run({ timeout_secs: 3_600 });
    await world.runUntilIdle();
    for (let beat = 0; beat < 5; beat++) {
      await world.clock.pass("45s");
      await world.tick("sweep-leases");
      expect((await sdk(endpoint.dispatches[0]).post("/heartbeat")).status).toBe(200);
    }
    await world.clock.pass("59s");
    await world.tick("sweep-leases");
    expect((await read(run_id)).status).toBe("running");
    await world.clock.pass("1s");
    await world.tick("sweep-leases");
    expect(await read(run_id)).toMatchObject({ status: "pending", error: { code: "heartbeat_lost" }, tries_used: 1 });
    expect((await transitions(run_id)).at(-1)?.cause).toBe("heartbeat_lost");
    expect((await sdk(endpoint.dispatches[0]).post("/complete")).body.code).toBe("stale_attempt");
  });

  it("R1 that sends no heartbeat on its last try has timed out", async () => {
    const { run, read } = await dispatchBench(world, 202);
    const run_id = await run({ max_attempts: 1, heartbeat_timeout_secs: 5 });
    await world.runUntilIdle();
    await world.clock.pass("5s");
    await world.tick("sweep-leases");
    const ended = await read(run_id);
    expect(ended).toMatchObject({ status: "timed_out", error: { code: "heartbeat_lost" } });
    expect(ended.dead_lettered_at).not.toBeNull();
  });

  it("R1 is limited by its timeout_secs, however often it sends heartbeats", async () => {
    const { endpoint, run, read } = await dispatchBench(world, 202);
    const run_id = await run({ timeout_secs: 100 });
    await world.runUntilIdle();
    for (const step of ["45s", "45s", "9s"]) {
      await world.clock.pass(step);
      expect((await sdk(endpoint.dispatches[0]).post("/heartbeat")).status).toBe(200);
    }
    await world.clock.pass("1s");
    await world.tick("sweep-leases");
    expect(await read(run_id)).toMatchObject({ status: "pending", error: { code: "timeout" } });
  });
});

describe("a run whose instance is lost", () => {
  it("R1 is retried by another, and the late response of the old attempt changes nothing", async () => {
    const { held, script } = holding();
    const { endpoint, run, read, transitions } = await dispatchBench(world, script, { status: 200, body: "second" });
    const dead = await world.anotherInstance();
    const run_id = await run();
    await pollQueue(dead.ctx);
    await until("dispatch 1", 20_000, () => held.length === 1);
    await world.clock.pass("30s");
    await world.tick("sweep-leases");
    expect(await read(run_id)).toMatchObject({ status: "pending", error: { code: "lease_lost" }, tries_used: 1 });
    await runWhenDue(world, await read(run_id));
    expect(await read(run_id)).toMatchObject({ status: "completed", result: "second", attempt: 2 });
    const before = await transitions(run_id);
    held[0]?.(200, "first");
    await dispatcherOf(dead.ctx).idle();
    expect(await read(run_id)).toMatchObject({ status: "completed", result: "second", attempt: 2 });
    expect(await transitions(run_id)).toEqual(before);
    expect(endpoint.dispatches.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it("R1 is not ended by a late response while the new attempt runs", async () => {
    const { held, script } = holding();
    const { run, read } = await dispatchBench(world, script);
    const dead = await world.anotherInstance();
    const run_id = await run();
    await pollQueue(dead.ctx);
    await until("dispatch 1", 20_000, () => held.length === 1);
    await world.clock.pass("30s");
    await world.tick("sweep-leases");
    await world.clock.set((await read(run_id)).scheduled_at);
    await world.tick("release-due-runs");
    await pollQueue(world.ctx);
    await until("dispatch 2", 20_000, () => held.length === 2);
    held[0]?.(200, "first");
    await dispatcherOf(dead.ctx).idle();
    expect(await read(run_id)).toMatchObject({ status: "running", attempt: 2 });
    held[1]?.(200, "second");
    await world.runUntilIdle();
    expect(await read(run_id)).toMatchObject({ status: "completed", result: "second" });
  });

  it("R1 keeps its lease while its instance renews it", async () => {
    const { held, script } = holding();
    const { run, read } = await dispatchBench(world, script);
    const run_id = await run();
    await pollQueue(world.ctx);
    await until("dispatch 1", 20_000, () => held.length === 1);
    for (let n = 0; n < 4; n++) {
      await world.clock.pass("20s");
      await world.tick("renew-leases");
      await world.tick("sweep-leases");
    }
    expect(await read(run_id)).toMatchObject({ status: "running", attempt: 1 });
    held[0]?.(200, 1);
    await world.runUntilIdle();
    expect((await read(run_id)).status).toBe("completed");
  });

  it("R1 has its request aborted when the instance learns that it lost the run", async () => {
    const { endpoint, run } = await dispatchBench(world, () => {});
    const run_id = await run();
    const late = await world.anotherInstance();
    await pollQueue(late.ctx);
    await until("the dispatch", 20_000, () => endpoint.dispatches.length === 1);
    await world.clock.pass("30s");
    await world.tick("sweep-leases");
    await dispatcherOf(late.ctx).renew();
    await dispatcherOf(late.ctx).idle();
    await until("the connection to close", 20_000, () => endpoint.dispatches[0]?.ended_at !== undefined);
    expect(await runSql(world.connection, "select crash_count from runs where id = $1", [run_id])).toEqual([
      { crash_count: 1 },
    ]);
    endpoint.respondWith(200); // it is due again
  });
});

describe("a run that is claimed again by the instance that still waits for its old attempt", () => {
  it("R1 is no longer dispatched by an instance that was stalled for longer than its lease", async () => {
    const slow = await makeFlowWorld({ config: { dispatch_concurrency: 1 } });
    const { held, script } = holding();
    const { project, endpoint, run } = await dispatchBench(slow, script);
    await run();
    await run();
    const lane = { project_id: project.id, host: new URL(endpoint.url).host } as TestJob;
    // Both are claimed; one has to wait for the only slot.
    dispatcherOf(slow.ctx).starter.start(await claimSome(slow.ctx, lane, 2));
    await until("dispatch 1", 20_000, () => held.length === 1);
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, "now").mockImplementation(() => now() + 31_000);
    held[0]?.(200);
    await dispatcherOf(slow.ctx).idle();
    later.mockRestore();
    expect(endpoint.dispatches).toHaveLength(1);
  });

  it("R1 is settled by its new attempt, whichever response comes first", async () => {
    const { held, script } = holding();
    const { endpoint, run, read } = await dispatchBench(world, script);
    const run_id = await run({ retry_strategy: "custom", retry_delays_secs: [0] });
    await pollQueue(world.ctx);
    await until("dispatch 1", 20_000, () => held.length === 1);
    const failed = await sdk(endpoint.dispatches[0]).post("/fail", { error: { message: "again, please" } });
    expect(failed.body.status).toBe("pending");
    await pollQueue(world.ctx);
    await until("dispatch 2", 20_000, () => held.length === 2);
    held[0]?.(200, "first");
    await until("the connection to close", 20_000, () => endpoint.dispatches[0]?.ended_at !== undefined);
    expect(await read(run_id)).toMatchObject({ status: "running", attempt: 2 });
    held[1]?.(200, "second");
    await until("the run to complete", 20_000, async () => (await read(run_id)).status === "completed");
    expect(await read(run_id)).toMatchObject({ result: "second", attempt: 2 });
  });
});

describe("outcomes written together", () => {
  async function claimed(bench: DispatchBench, count: number) {
    const job_id = await bench.job();
    await bench.project.api.post(`/v1/jobs/${job_id}/trigger/bulk`, { items: Array(count).fill({}) });
    const host = new URL(bench.endpoint.url).host;
    return claimSome(world.ctx, { id: job_id, project_id: bench.project.id, host, path: "" }, count);
  }

  it("R1 a result that the database refuses fails alone", async () => {
    const bench = await dispatchBench(world);
    const runs = await claimed(bench, 20);
    const { settle } = openSettler(world.ctx, () => true);
    const results = runs.map((_, n) => (n === 7 ? '"\\u0000"' : n === 12 ? "{broken" : String(n)));
    await Promise.all(runs.map((run, n) => settle(run, { kind: "completed", result_json: results[n] ?? "" })));
    const ended = await Promise.all(runs.map((run) => bench.read(run.run_id)));
    expect(ended.map((run) => run.status)).toEqual(runs.map((_, n) => (n === 7 || n === 12 ? "failed" : "completed")));
    expect(ended.map((run) => run.result)).toEqual(runs.map((_, n) => (n === 7 || n === 12 ? null : n)));
    expect(ended[7]?.error?.code).toBe("result_rejected");
    expect(ended[7]?.dead_lettered_at).not.toBeNull();
  });

  it("R1 those with a lost lease change nothing, and the others are applied", async () => {
    const bench = await dispatchBench(world);
    const runs = await claimed(bench, 6);
    await bench.project.api.post(`/v1/runs/${runs[2]?.run_id}/cancel`);
    const { settle } = openSettler(world.ctx, () => true);
    await Promise.all(runs.map((run) => settle(run, { kind: "completed", result_json: "1" })));
    const statuses = (await Promise.all(runs.map((run) => bench.read(run.run_id)))).map((run) => run.status);
    expect(statuses).toEqual(runs.map((_, n) => (n === 2 ? "canceled" : "completed")));
  });
});

describe("a stopping instance", () => {
  it("R1 waits for open dispatches, then requeues the rest at once, with no try used", async () => {
    const { held, script } = holding();
    const { endpoint, run, read, transitions } = await dispatchBench(world, script);
    const stopping = await world.anotherInstance({ dispatch_concurrency: 4 });
    const [quick, slow] = [await run(), await run()];
    await pollQueue(stopping.ctx);
    await until("dispatch 2", 20_000, () => held.length === 2);
    const { drain } = dispatcherOf(stopping.ctx);
    const drained = drain(60_000);
    const first = endpoint.dispatches.findIndex(({ run_id }) => run_id === quick);
    held[first]?.(200, "in time");
    await until("the run to complete", 20_000, async () => (await read(quick)).status === "completed");
    expect(await read(quick)).toMatchObject({ result: "in time" });
    expect(await read(slow)).toMatchObject({ status: "running" });
    await drain(0); // its grace period has passed
    await drained;
    expect(await read(slow)).toMatchObject({ status: "pending", attempt: 1, tries_used: 0, error: null });
    expect((await transitions(slow)).at(-1)?.cause).toBe("drained");
    endpoint.respondWith({ status: 200, body: "elsewhere" });
    await world.runUntilIdle();
    expect(await read(slow)).toMatchObject({ status: "completed", result: "elsewhere", attempt: 2, tries_used: 0 });
  });

  it("R1 claims nothing more", async () => {
    const { endpoint, run } = await dispatchBench(world);
    const stopped = await world.anotherInstance();
    await dispatcherOf(stopped.ctx).drain(0);
    await run();
    await pollQueue(stopped.ctx);
    await dispatcherOf(stopped.ctx).idle();
    expect(endpoint.dispatches).toEqual([]);
    await world.runUntilIdle();
    expect(endpoint.dispatches).toHaveLength(1);
  });
});
