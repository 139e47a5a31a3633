import { beforeAll, describe, expect, it } from "vitest";
import { type DispatchBench, dispatchBench, pollQueue } from "../../../../test/costs/dispatch-bench.ts";
import type { Script } from "../../../../test/outside/job-endpoint.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { until } from "../../../../test/world/until.ts";
import type { World } from "../../../../test/world/world.ts";
import { dispatcherOf } from "../../../engine/dispatcher.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
});

async function circuitOf({ project }: DispatchBench) {
  const [row] = await runSql<{ status: string; good_probes: number; reason: string }>(
    world.connection,
    "select status, good_probes, reason from circuits where project_id = $1",
    [project.id],
  );
  return row;
}

async function blockedOf({ project }: DispatchBench): Promise<Record<string, number>> {
  const rows = await runSql<{ reason: string; count: number }>(
    world.connection,
    `select coalesce(blocked_on, 'none') as reason, count(*)::int from run_queue where project_id = $1 group by 1`,
    [project.id],
  );
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}

/** A project whose host has just failed often enough to open its circuit. */
async function broken(runs: number, script: Script = 500) {
  const bench = await dispatchBench(world, script);
  const job_id = await bench.job({ max_attempts: 10, retry_strategy: "fixed" });
  const items = Array.from({ length: runs }, (_, n) => ({ payload: n }));
  const { body } = await bench.project.api.post(`/v1/jobs/${job_id}/trigger/bulk`, { items });
  await world.runUntilIdle();
  await until("the circuit to open", 20_000, async () => (await circuitOf(bench))?.status === "open");
  await world.tick("read-circuits");
  const host = new URL(bench.endpoint.url).host;
  const run_ids = body.results.map(({ run_id }: { run_id: string }) => run_id) as string[];
  return { ...bench, job_id, run_ids, reason: `circuit:${host}`, count: () => bench.endpoint.dispatches.length };
}

/**
 * The last good probe has closed the circuit, and its runs were unblocked: a probe is recorded after its dispatch has
 * ended.
 */
async function whenClosed(bench: Awaited<ReturnType<typeof broken>>): Promise<void> {
  await until("the circuit to close", 20_000, async () => (await circuitOf(bench))?.status === "closed");
  await until("its runs to be released", 20_000, async () => (await blockedOf(bench))[bench.reason] === undefined);
  await world.tick("read-circuits");
}

/** Advances the time, and runs everything that is due then. */
async function pass(duration: string): Promise<void> {
  await world.clock.pass(duration);
  await world.runUntilIdle();
}

describe("a host that failed 20 times in a row", () => {
  it("R1 opens its circuit: its runs are blocked when they are due again, and no try is used meanwhile", async () => {
    const bench = await broken(20);
    expect([bench.count(), (await circuitOf(bench))?.reason]).toEqual([20, "The endpoint responded with 500."]);
    await pass("2s");
    expect([bench.count(), await blockedOf(bench)]).toEqual([20, { [bench.reason]: 20 }]);
    const runs = await Promise.all(bench.run_ids.map(bench.read));
    expect(new Set(runs.map(({ status, tries_used }) => `${status} ${tries_used}`))).toEqual(new Set(["pending 1"]));
  });

  it("R1 has new runs blocked too, and triggers are accepted", async () => {
    const bench = await broken(20);
    const run_id = await bench.trigger(bench.job_id);
    await world.runUntilIdle();
    expect([bench.count(), (await bench.read(run_id)).attempt]).toEqual([20, 0]);
    expect((await blockedOf(bench))[bench.reason]).toBe(1);
  });

  it("R1 gets one probe every 5 s, over all instances, and a failed one keeps the circuit open", async () => {
    const bench = await broken(20);
    const other = await world.anotherInstance();
    await pass("2s");
    for (let probe = 1; probe <= 3; probe++) {
      await world.clock.pass("5s");
      await Promise.all([world, other].map(({ ctx }) => dispatcherOf(ctx).probe()));
      await Promise.all([world, other].map(({ ctx }) => dispatcherOf(ctx).idle()));
      await world.runUntilIdle();
      expect(bench.count()).toBe(20 + probe);
      expect(await circuitOf(bench)).toMatchObject({ status: "open", good_probes: 0 });
    }
  });

  it("R1 has its circuit closed after three good probes in a row, and all its runs continue", async () => {
    const bench = await broken(20);
    await pass("2s");
    bench.endpoint.respondWith(200, 500, 200);
    for (const [probe, good] of [1, 0, 1, 2].entries()) {
      await pass("5s");
      await until("the probe", 20_000, () => bench.count() === 21 + probe);
      await until("its outcome", 20_000, async () => (await circuitOf(bench))?.good_probes === good);
    }
    expect((await circuitOf(bench))?.status).toBe("open");
    await pass("5s");
    await whenClosed(bench);
    await pass("2s");
    const runs = await Promise.all(bench.run_ids.map(bench.read));
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["completed"]));
    expect(await blockedOf(bench)).toEqual({});
  });

  it("R1 starts from zero after closing: it takes 20 failures again to open it", async () => {
    const bench = await broken(20);
    await pass("2s");
    bench.endpoint.respondWith(200, 200, 200, 500);
    for (let probe = 0; probe < 3; probe++) await pass("5s");
    await whenClosed(bench);
    await bench.trigger(bench.job_id);
    await world.runUntilIdle();
    // Three were probes; the other seventeen and the new one have failed.
    expect([bench.count(), (await circuitOf(bench))?.status]).toEqual([20 + 3 + 17 + 1, "closed"]);
  });

  it("R1 has its circuit open on every instance", async () => {
    const bench = await broken(20);
    const other = await world.anotherInstance();
    await dispatcherOf(other.ctx).readCircuits();
    await bench.trigger(bench.job_id);
    await pollQueue(other.ctx);
    await dispatcherOf(other.ctx).idle();
    expect(bench.count()).toBe(20);
  });

  it("R1 by refusing or closing connections counts the same", async () => {
    const bench = await broken(20, (_, response) => void response.destroy());
    expect((await circuitOf(bench))?.reason).toContain("closed the connection");
  });

  it("R1 concerns only its project: another's runs to the same host continue", async () => {
    const bench = await broken(20);
    const neighbor = await dispatchBench(world);
    bench.endpoint.respondWith(200);
    const run_id = await neighbor.run({ endpoint_url: bench.endpoint.url });
    await world.runUntilIdle();
    expect((await neighbor.read(run_id)).status).toBe("completed");
  });
});

describe("a host that responds, even with an error", () => {
  it.each([404, 429])("R1 keeps its circuit closed after 30 responses with %i", async (status) => {
    const bench = await dispatchBench(world, status);
    const job_id = await bench.job({ max_attempts: 2 });
    await bench.project.api.post(`/v1/jobs/${job_id}/trigger/bulk`, { items: Array(30).fill({}) });
    await pass("1s");
    const circuit = (await circuitOf(bench))?.status ?? "closed";
    expect([circuit, bench.endpoint.dispatches.length >= 30]).toEqual(["closed", true]);
  });
});
