import { beforeAll, describe, expect, it } from "vitest";
import { budgetBench } from "../../../test/costs/budget-bench.ts";
import { endRun } from "../../../test/seed/end-run.ts";
import { holderOf } from "../../../test/seed/running-run.ts";
import { Crash, crashing } from "../../../test/world/crashing.ts";
import { runSql } from "../../../test/world/database.ts";
import { dyingInstance } from "../../../test/world/dying-instance.ts";
import { claimOne, type TestJob } from "../../../test/world/queue-world.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { sumChanges } from "../../engine/sum-changes.ts";
import type { Outcome } from "../runs/dispatch/outcome.ts";
import { settleRuns } from "../runs/settle/settle-runs.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
});

type Bench = Awaited<ReturnType<typeof budgetBench>>;
type End = (bench: Bench, job: TestJob, run_id: string) => Promise<unknown>;

async function settleAs(job: TestJob, outcome: Outcome): Promise<void> {
  const run = await claimOne(world.ctx, job);
  expect(await settleRuns(world.ctx, [{ run, outcome }])).toEqual([true]);
}

async function loseLeases({ blocked, recordCosts }: Bench, job: TestJob, run_id: string): Promise<void> {
  for (let nth = 0; nth < 3; nth++) {
    await settleAs(job, { kind: "lease_lost" });
    await recordCosts();
    if ((await blocked(run_id)) === undefined) return;
    await runSql(world.connection, "update run_queue set blocked_on = null, run_at = clock() where run_id = $1", [
      run_id,
    ]);
  }
}

const ENDS: [string, End][] = [
  ["completed", (_, job) => settleAs(job, { kind: "completed", result_json: "null" })],
  ["failed", (_, job) => settleAs(job, { kind: "failed", retryable: false, error: { code: "x", message: "y" } })],
  ["canceled while queued", ({ project }, _job, id) => project.api.post(`/v1/runs/${id}/cancel`)],
  [
    "canceled while it ran",
    async ({ project }, job, id) => {
      await claimOne(world.ctx, job);
      await project.api.post(`/v1/runs/${id}/cancel`);
    },
  ],
  [
    "expired while queued",
    async () => {
      await world.clock.pass("2h");
      await world.tick("expire-runs");
    },
  ],
  ["lost with its lease, three times", loseLeases],
  [
    "ended, and its data deleted",
    async ({ project }, _job, id) => {
      await endRun(world, id);
      expect((await project.api.delete(`/v1/runs/${id}/data`)).status).toBeLessThan(300);
    },
  ],
  [
    "canceled while it waited",
    async ({ project }, job, id) => {
      await claimOne(world.ctx, job);
      const { sdk } = await holderOf(world, id);
      expect((await sdk.post("/wait-for-event", { event_key: `k-${id}`, timeout_secs: 60 })).status).toBeLessThan(300);
      await project.api.post(`/v1/runs/${id}/cancel`);
    },
  ],
];

describe("the reservation of a run", () => {
  it.each(ENDS)("is released when it is %s", async (_, end) => {
    const bench = await budgetBench(world, 100);
    const job = await bench.job({ run_ttl_secs: 3_600, retry_strategy: "custom", retry_delays_secs: [0] });
    const { body } = await bench.project.api.post(`${job.path}/trigger`, {});
    expect(await bench.spent()).toEqual([0, 100]);
    await end(bench, job, body.id);
    await bench.recordCosts();
    expect(await bench.spent()).toEqual([0, 0]);
    const held = await runSql(world.connection, "select 1 from budget_reservations where project_id = $1", [
      bench.project.id,
    ]);
    expect(held).toEqual([]);
    expect((await bench.project.api.post(`${job.path}/trigger`, {})).status).toBe(201);
  });

  it("stays while it waits", async () => {
    const bench = await budgetBench(world, 100);
    const job = await bench.job();
    const { body } = await bench.project.api.post(`${job.path}/trigger`, {});
    await claimOne(world.ctx, job);
    const { sdk } = await holderOf(world, body.id);
    await sdk.post("/wait-for-event", { event_key: `k-${body.id}`, timeout_secs: 60 });
    await bench.recordCosts();
    expect(await bench.spent()).toEqual([0, 100]);
    await bench.project.api.post(`/v1/events/k-${body.id}/send`, { payload: {} });
    expect(await bench.blocked(body.id)).toBe(null);
  });

  it("is released once, and the cost is recorded once, also when the recording instance is lost after the commit", async () => {
    await world.clock.set("2034-01-10T00:00:00Z");
    const bench = await budgetBench(world, 1_000, { compute_rate_microusd_per_sec: 10 });
    const job = await bench.job();
    await bench.project.api.post(`${job.path}/trigger`, {});
    const run = await claimOne(world.ctx, job);
    await world.clock.pass("3s");
    await settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);
    const dying = dyingInstance(world.ctx);
    await Promise.all([sumChanges(dying.ctx), sumChanges(world.ctx)]);
    dying.die();
    await bench.recordCosts();
    await bench.recordCosts();
    expect(await bench.spent()).toEqual([30, 0]);
  });

  it("is released once, and the cost is recorded once, wherever in its recording an instance is killed", async () => {
    await world.clock.set("2034-02-10T00:00:00Z");
    const bench = await budgetBench(world, 1_000, { compute_rate_microusd_per_sec: 10 });
    const job = await bench.job();
    await bench.project.api.post(`${job.path}/trigger`, {});
    const run = await claimOne(world.ctx, job);
    await world.clock.pass("3s");
    await settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);
    const before = await bench.spent();
    for (const dies of [1, 2, 3, 4, 5, 6, 7, "before commit"] as const) {
      await expect(sumChanges(crashing(world.ctx, dies))).rejects.toThrow(Crash);
      expect(await bench.spent()).toEqual(before);
    }
    await expect(sumChanges(crashing(world.ctx, "after commit"))).rejects.toThrow(Crash);
    await bench.recordCosts();
    await bench.recordCosts();
    expect(await bench.spent()).toEqual([30, 0]);
  });
});

describe("a run that reports more than its job allows", () => {
  it("N12 is stopped with a clear error, is not retried, and its cost is recorded", async () => {
    const bench = await budgetBench(world, 1_000);
    const job = await bench.job({ max_cost_microusd: 150, max_attempts: 5 });
    const { body } = await bench.project.api.post(`${job.path}/trigger`, {});
    await claimOne(world.ctx, job);
    const { sdk } = await holderOf(world, body.id);
    expect((await sdk.post("/usage", { cost_microusd: 150 })).body.over_budget).toBe(false);
    expect((await sdk.post("/usage", { cost_microusd: 1 })).body.over_budget).toBe(true);
    const run = (await bench.project.api.get(`/v1/runs/${body.id}`)).body;
    expect(run).toMatchObject({ status: "failed", attempt: 1, cost_microusd: 151 });
    expect(run.error).toEqual({
      code: "max_cost_exceeded",
      message: "The run has cost $0.000151; its maximum is $0.00015.",
    });
    await bench.recordCosts();
    expect(await bench.spent()).toEqual([151, 0]);
  });
});

describe("reconcile-budgets", () => {
  it("repairs drift, counts the repair, and finds nothing the second time", async () => {
    const bench = await budgetBench(world, 1_000);
    const { project, job, spent } = bench;
    const of = await job();
    await project.api.post(`${of.path}/trigger`, {});
    const counted = async () => {
      const { values } = await world.ctx.metrics.repairs.get();
      return Object.fromEntries(values.map(({ labels, value }) => [labels.kind, value]));
    };
    const reconcile = async () => {
      await world.clock.pass("10m");
      while (await world.tick("reconcile-budgets"));
      return counted();
    };
    const before = await reconcile();
    await runSql(
      world.connection,
      `update project_budgets set reserved_microusd = 777, settled_microusd = 5 where project_id = $1`,
      [project.id],
    );
    const after = await reconcile();
    expect(await spent()).toEqual([0, 100]);
    expect(after.budget_reserved).toBe((before.budget_reserved ?? 0) + 1);
    expect(after.budget_settled).toBe((before.budget_settled ?? 0) + 1);
    await runSql(
      world.connection,
      `insert into budget_reservations (project_id, run_id, microusd, created_at)
       values ($1, gen_random_uuid(), 300, clock())`,
      [project.id],
    );
    expect((await reconcile()).budget_orphaned_reservation).toBe((before.budget_orphaned_reservation ?? 0) + 1);
    expect(await spent()).toEqual([0, 100]);
    expect(await reconcile()).toEqual(await counted());
  });

  it("reserves for leased runs without a reservation", async () => {
    const bench = await budgetBench(world, 1_000);
    const job = await bench.job();
    await bench.project.api.post(`${job.path}/trigger`, {});
    await claimOne(world.ctx, job);
    await runSql(world.connection, "delete from budget_reservations where project_id = $1", [bench.project.id]);
    await runSql(world.connection, "update project_budgets set reserved_microusd = 0 where project_id = $1", [
      bench.project.id,
    ]);
    await world.clock.pass("1m");
    while (await world.tick("reconcile-budgets"));
    expect(await bench.spent()).toEqual([0, 100]);
  });
});
