import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { claimSome, fillQueue, makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import type { ClaimedRun } from "./claim/claimed-run.ts";
import { blockLane, openCircuit } from "./dispatch/circuits.ts";
import { settleRuns } from "./settle/settle-runs.ts";
import { stopQueuedRuns } from "./stop/stop-queued.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

const complete = (run: ClaimedRun) =>
  settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);

/** Claims until nothing more starts: a claim may start no run and only release the next one. */
async function claimAll(job: TestJob): Promise<ClaimedRun[]> {
  const claimed: ClaimedRun[] = [];
  for (let empty = 0; empty < 3; ) {
    const some = await claimSome(world.ctx, job, 10);
    empty = some.length === 0 ? empty + 1 : 0;
    claimed.push(...some);
  }
  return claimed;
}

async function passTime(job: TestJob, duration: string): Promise<ClaimedRun[]> {
  await world.clock.pass(duration);
  await world.tick("release-rate-limits");
  return claimAll(job);
}

let others = 0;
const other = () => `other${others++}`;
const named = (name: string, window_secs: number) => ({ name, key: `{{payload.${name}}}`, max: 1, window_secs });

/**
 * A run needs a slot of the key `k` and a start of the tenant `t`; other runs need only one of the two. Whenever one of
 * them is free, the other is taken.
 */
async function keyAndRate(window_secs: number, fields: object = {}) {
  const limits = { max_concurrency_per_key: 1, rate_limit_keys: [named("tenant", window_secs)] };
  const job = await makeJob(project, { ...limits, ...fields });
  const others = () => [{ concurrency_key: "k", payload: { tenant: other() } }, { payload: { tenant: "t" } }];
  await fillQueue(world.ctx, job, others());
  let [holder] = (await claimAll(job)).filter((run) => run.slots?.length);
  const [victim = ""] = await fillQueue(world.ctx, job, [{ concurrency_key: "k", payload: { tenant: "t" } }]);
  await claimAll(job);
  const started: string[] = [];

  function countClaimed(runs: ClaimedRun[]): void {
    holder = runs.find((run) => run.slots?.length) ?? holder;
    started.push(...runs.map((run) => run.run_id));
  }
  /** The slot is released; later there is room in the window. */
  const freeKey = async () => {
    if (holder) await complete(holder);
    countClaimed(await claimAll(job));
  };
  const freeRate = async () => countClaimed(await passTime(job, `${window_secs + 1}s`));
  const round = async () => {
    await fillQueue(world.ctx, job, others());
    await freeKey();
    await freeRate();
  };
  return { job, victim, started, round, freeKey, freeRate };
}

/** The same with two rates, which are free alternately. */
async function twoRates(window_secs: number) {
  const job = await makeJob(project, { rate_limit_keys: [named("tenant", window_secs), named("user", window_secs)] });
  const ofTenant = () => ({ payload: { tenant: "t", user: other() } });
  const ofUser = () => ({ payload: { tenant: other(), user: "u" } });
  const started: string[] = [];
  const half = async () =>
    started.push(...(await passTime(job, `${Math.ceil(window_secs / 2) + 1}s`)).map((run) => run.run_id));
  await fillQueue(world.ctx, job, [ofTenant()]);
  await claimAll(job);
  await half();
  await fillQueue(world.ctx, job, [ofUser()]);
  await claimAll(job);
  const [victim = ""] = await fillQueue(world.ctx, job, [{ payload: { tenant: "t", user: "u" } }]);
  await claimAll(job);
  const round = async () => {
    await fillQueue(world.ctx, job, [ofTenant(), ofUser()]);
    await half();
    await half();
  };
  return { job, victim, started, round, half, ofTenant };
}

describe("a run whose limits are never free at the same time", () => {
  it.each([
    ["a concurrency key and a rate", keyAndRate],
    ["two rates", twoRates],
  ])("starts after it was refused for 30 s: %s", async (_, make) => {
    const { started, victim, round } = await make(60);
    for (let nth = 0; nth < 4; nth++) await round();
    expect(started).toContain(victim);
  });

  it("starts after 16 refusals, before 30 s have passed", async () => {
    const { started, victim, round } = await keyAndRate(2);
    for (let nth = 0; nth < 8; nth++) await round();
    expect(started).not.toContain(victim);
    await round();
    expect(started).toContain(victim);
  });
});

describe("a slot that a starving run keeps", () => {
  type Row = { blocked_on: string | null; kept: string[] | null };

  async function rowOf(run_id: string): Promise<Row | undefined> {
    const [row] = await runSql<Row>(world.connection, "select blocked_on, kept from run_queue where run_id = $1", [
      run_id,
    ]);
    return row;
  }

  /** It has the slot of its key, and waits for its rate; the next run waits for that slot. */
  async function keptSlot() {
    const bench = await keyAndRate(60);
    const key = `key:${bench.job.id}:k`;
    const rate = `rate:${bench.job.id}:tenant:t`;
    await bench.round();
    const [next = ""] = await fillQueue(world.ctx, bench.job, [{ concurrency_key: "k", payload: { tenant: other() } }]);
    await bench.freeKey();
    expect(await rowOf(bench.victim)).toEqual({ blocked_on: rate, kept: [key] });
    expect(await rowOf(next)).toEqual({ blocked_on: key, kept: null });
    return { ...bench, key, rate, next };
  }

  it("is taken by no other run, waiting or new, and is not an inconsistency", async () => {
    const { job, victim, next, key, freeRate, started } = await keptSlot();
    const [urgent = ""] = await fillQueue(world.ctx, job, [
      { concurrency_key: "k", payload: { tenant: other() }, priority: 100 },
    ]);
    expect(await claimAll(job)).toEqual([]);
    await world.tick("reconcile-queue");
    expect([await rowOf(next), await rowOf(urgent)]).toEqual(Array(2).fill({ blocked_on: key, kept: null }));
    // Released for its rate, and not claimed yet.
    await world.clock.pass("61s");
    await world.tick("release-rate-limits");
    expect(await rowOf(victim)).toEqual({ blocked_on: null, kept: [key] });
    await world.tick("reconcile-queue");
    expect((await rowOf(next))?.blocked_on).toBe(key);
    await freeRate();
    expect(started.at(-1)).toBe(victim);
  });

  it.each<[string, (id: string, host: string) => Promise<unknown>]>([
    ["canceled", (id) => project.api.post(`/v1/runs/${id}/cancel`)],
    ["paused", (id) => project.api.post(`/v1/runs/${id}/pause`)],
    ["postponed", (id) => project.api.patch(`/v1/runs/${id}`, { scheduled_at: "2100-01-01T00:00:00Z" })],
    [
      "expired",
      async (id) => {
        await runSql(world.connection, "update run_queue set expires_at = clock() where run_id = $1", [id]);
        await world.tick("expire-runs");
      },
    ],
    ["stopped", (id) => inTransaction(world.ctx, (tx) => stopQueuedRuns(tx, project.id, [id], "batch"))],
    [
      "blocked by an open circuit",
      async (_, host) => {
        await world.clock.pass("61s");
        await world.tick("release-rate-limits");
        await openCircuit(world.ctx, { project_id: project.id, host }, "test");
        await blockLane(world.ctx, { project_id: project.id, host });
      },
    ],
  ])("passes to the next waiter when the run is %s", async (_, leave) => {
    const { job, victim, next } = await keptSlot();
    await leave(victim, job.host);
    expect((await rowOf(victim))?.kept ?? null).toBeNull();
    expect((await claimAll(job)).map((run) => run.run_id)).toContain(next);
  });

  it("of a rate passes to the next waiter too when the run is canceled after its release", async () => {
    const { job, victim, half, ofTenant } = await twoRates(60);
    const [next = ""] = await fillQueue(world.ctx, job, [ofTenant()]);
    await half();
    expect(await rowOf(victim)).toMatchObject({ kept: [`rate:${job.id}:tenant:t`] });
    await world.clock.pass("31s");
    await world.tick("release-rate-limits");
    expect(await rowOf(victim)).toMatchObject({ blocked_on: null });
    await project.api.post(`/v1/runs/${victim}/cancel`);
    expect((await claimAll(job)).map((run) => run.run_id)).toContain(next);
  });

  it("is released by a change of the limits", async () => {
    const { job, victim, next } = await keptSlot();
    await project.api.patch(job.path, { max_concurrency_per_key: 2 });
    const started = (await claimAll(job)).map((run) => run.run_id);
    expect(started).toContain(next);
    expect(started).not.toContain(victim);
  });

  it("is no longer kept once the run is claimed", async () => {
    const { victim, freeRate } = await keptSlot();
    await freeRate();
    expect(await rowOf(victim)).toEqual({ blocked_on: null, kept: null });
    const [row] = await runSql(
      world.connection,
      "select granted_by, refusals, refused_at from run_queue where run_id = $1",
      [victim],
    );
    expect(row).toEqual({ granted_by: null, refusals: 0, refused_at: null });
  });
});
