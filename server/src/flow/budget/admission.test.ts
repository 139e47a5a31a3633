import { beforeAll, describe, expect, it } from "vitest";
import { budgetBench } from "../../../test/costs/budget-bench.ts";
import { endRun } from "../../../test/seed/end-run.ts";
import { holderOf, runningRun } from "../../../test/seed/running-run.ts";
import { type ClientResponse, makeClient } from "../../../test/world/client.ts";
import { runSql } from "../../../test/world/database.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { claimRuns } from "../runs/claim/claim-runs.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
});

const ofStatus = (responses: readonly ClientResponse[], status: number) =>
  responses.filter((response) => response.status === status);

describe("a blocking budget", () => {
  it("N12 admits no run beyond it, with 64 concurrent triggers on two instances", async () => {
    const { project, job, spent } = await budgetBench(world, 1_000);
    const { path } = await job();
    const other = await world.anotherInstance();
    await untilUp([world, other]);
    const elsewhere = makeClient(other.url, { authorization: `Bearer ${project.key}` });
    const responses = await Promise.all(
      Array.from({ length: 64 }, (_, nth) => (nth % 2 ? project.api : elsewhere).post(`${path}/trigger`, {})),
    );
    expect(ofStatus(responses, 201)).toHaveLength(10);
    expect(ofStatus(responses, 402)).toHaveLength(54);
    expect(await spent()).toEqual([0, 1_000]);
    const [row] = await runSql(world.connection, "select count(*)::int as runs from runs where project_id = $1", [
      project.id,
    ]);
    expect(row).toEqual({ runs: 10 });
  });

  it("accepts a workflow whose first step reserves all that is left", async () => {
    const { project, job, spent } = await budgetBench(world, 100);
    const steps = [{ step_ref: "a", job_id: (await job()).id }];
    const { body: workflow } = await project.api.post("/v1/workflows", { name: "Last", steps });
    expect((await project.api.post(`/v1/workflows/${workflow.id}/trigger`, {})).status).toBe(201);
    expect(await spent()).toEqual([0, 100]);
    const refused = await project.api.post(`/v1/workflows/${workflow.id}/trigger`, {});
    expect([refused.status, refused.body.code]).toEqual([402, "budget_exceeded"]);
  });

  it("N12 refuses triggers of workflows once nothing is left, and accepts them again when it is raised", async () => {
    const { project, job, set } = await budgetBench(world, 100);
    const { id, path } = await job();
    const { body: workflow } = await project.api.post("/v1/workflows", {
      name: "Steps",
      steps: [{ step_ref: "a", job_id: id }],
    });
    const trigger = () => project.api.post(`/v1/workflows/${workflow.id}/trigger`, { idempotency_key: "once" });
    expect((await project.api.post(`${path}/trigger`, {})).status).toBe(201);
    const refused = await trigger();
    expect([refused.status, refused.body.code]).toEqual([402, "budget_exceeded"]);
    expect(refused.body.detail).toContain("PUT /v1/project-budget");
    await set({ monthly_budget_microusd: 1_000 });
    expect((await trigger()).status).toBe(201);
    await set({ monthly_budget_microusd: 100 });
    expect((await trigger()).status).toBe(200); // it is running already
  });

  it("admits no run beyond it while triggers, bulk triggers, replays and spawns race with ends", async () => {
    const { project, job, recordCosts, state } = await budgetBench(world, 700);
    const { id, path } = await job();
    const first = await project.api.post(`${path}/trigger`, {});
    const parent = await runningRun(world, project);
    await endRun(world, first.body.id);
    await Promise.all([
      recordCosts(),
      ...Array.from({ length: 8 }, () => project.api.post(`${path}/trigger`, {})),
      ...Array.from({ length: 4 }, () => project.api.post(`${path}/trigger/bulk`, { items: [{}, {}] })),
      ...Array.from({ length: 4 }, () => project.api.post(`/v1/runs/${first.body.id}/replay`)),
      ...Array.from({ length: 4 }, () => parent.sdk.post("/spawn", { job_id: id })),
    ]);
    const { settled_microusd, reserved_microusd } = await state();
    // The ended run may release its reservation too late for all of them.
    expect([600, 700]).toContain(reserved_microusd);
    expect(settled_microusd).toBe(0);
    const [row] = await runSql(
      world.connection,
      `select count(*)::int as open, (select sum(microusd)::int from budget_reservations where project_id = $1) as held
       from run_queue where project_id = $1 and job_id = $2`,
      [project.id, id],
    );
    expect(row).toEqual({ open: reserved_microusd / 100, held: reserved_microusd });
  });

  it("returns 402 with the budget's state, the expected cost and a remedy that works", async () => {
    await world.clock.set("2032-02-10T00:00:00Z");
    const { project, job, set } = await budgetBench(world, 150);
    const { path } = await job();
    await project.api.post(`${path}/trigger`, {});
    const { status, body } = await project.api.post(`${path}/trigger`, {});
    expect([status, body.code]).toEqual([402, "budget_exceeded"]);
    expect(body.detail).toContain("$0.00015 a month has $0.00005 left ($0.00 spent, $0.0001 reserved");
    expect(body.detail).toContain("expected to cost $0.0001");
    expect(body.detail).toContain("to 200 or more with PUT /v1/project-budget");
    expect(body.detail).toContain(", wait until runs release unused reservations, or wait for the next period");
    expect(body.detail).toContain("2032-03-01T00:00:00.000Z");
    await set({ monthly_budget_microusd: 200 });
    expect((await project.api.post(`${path}/trigger`, {})).status).toBe(201);
  });

  it("does not advise waiting for runs if none has a reservation", async () => {
    const { project, job } = await budgetBench(world, 50);
    const { path } = await job();
    const { status, body } = await project.api.post(`${path}/trigger`, {});
    expect([status, body.detail]).toEqual([
      402,
      expect.stringContaining("PUT /v1/project-budget or wait for the next"),
    ]);
  });

  it("refuses spawn, replay and run-now with 402, and items of a bulk trigger one by one", async () => {
    const { project, job } = await budgetBench(world, 250);
    const { id, path } = await job();
    const { body } = await project.api.post(`${path}/trigger/bulk`, { items: [{}, {}, { idempotency_key: "k" }] });
    expect(body.results.map(({ status }: { status: string }) => status)).toEqual(["created", "created", "failed"]);
    expect(body.results[2].error.code).toBe("budget_exceeded");
    const schedule = await project.api.post("/v1/schedules", { job_id: id, cron: "0 0 1 1 *" });
    const parent = await runningRun(world, project);
    await endRun(world, body.results[0].run_id);
    await project.api.post(`${path}/trigger`, {});
    const refused = [
      await parent.sdk.post("/spawn", { job_id: id }),
      await project.api.post(`/v1/runs/${body.results[0].run_id}/replay`),
      await project.api.post(`/v1/schedules/${schedule.body.id}/run-now`),
    ];
    expect(refused.map((response) => [response.status, response.body.code])).toEqual(
      refused.map(() => [402, "budget_exceeded"]),
    );
  });

  it("publishes once in a period, by webhook and audit, that it has begun to block", async () => {
    const { project, job } = await budgetBench(world, 50);
    const { path } = await job();
    for (let nth = 0; nth < 3; nth++) expect((await project.api.post(`${path}/trigger`, {})).status).toBe(402);
    const { body } = await project.api.get("/v1/audit-events?action=budget.blocked");
    expect(body.data).toHaveLength(1);
    expect((await project.api.get("/v1/project-budget")).body.blocked_at).not.toBeNull();
  });

  it("that only notifies, or has no amount, refuses and reserves nothing", async () => {
    const { project, job, set, spent } = await budgetBench(world, 0);
    const { path } = await job();
    expect((await project.api.post(`${path}/trigger`, {})).status).toBe(402);
    await set({ monthly_budget_microusd: 0, action: "notify" });
    expect((await project.api.post(`${path}/trigger`, {})).status).toBe(201);
    await set({ monthly_budget_microusd: null });
    expect((await project.api.post(`${path}/trigger`, {})).status).toBe(201);
    expect(await spent()).toEqual([0, 0]);
  });

  it("reserves nothing for a trigger that returns an existing run", async () => {
    const { project, job, spent } = await budgetBench(world, 100);
    const { path } = await job();
    const trigger = () => project.api.post(`${path}/trigger`, { idempotency_key: "once" });
    const [first, second] = [await trigger(), await trigger()];
    expect(second.body.id).toBe(first.body.id);
    expect(await spent()).toEqual([0, 100]);
  });
});

describe("the reservation of a run", () => {
  it("is the maximum of its job's estimate, the 95th percentile of its last 100 runs, and a second of compute", async () => {
    const bench = await budgetBench(world, 1_000_000, { compute_rate_microusd_per_sec: 70 });
    const { project, recordCosts, spent } = bench;
    const plain = await bench.job({ estimated_cost_microusd: 0 });
    const first = await project.api.post(`${plain.path}/trigger`, {});
    expect(await spent()).toEqual([0, 70]);
    await project.api.post(`/v1/runs/${first.body.id}/cancel`);
    await recordCosts();
    expect(await spent()).toEqual([0, 0]);
    await runSql(
      world.connection,
      `insert into job_costs (project_id, job_id, recent, p95_microusd, updated_at)
       values ($1, $2, '{500}', 500, clock())`,
      [project.id, plain.id],
    );
    await project.api.post(`${plain.path}/trigger`, {});
    expect(await spent()).toEqual([0, 500]);
    const dear = await bench.job({ estimated_cost_microusd: 600 });
    await project.api.post(`${dear.path}/trigger`, {});
    expect(await spent()).toEqual([0, 1_100]);
  });

  it("follows what the last 100 runs of the job cost, reported and computed, over all their attempts", async () => {
    await world.clock.set("2032-03-10T00:00:00Z");
    const { project, job, recordCosts } = await budgetBench(world, null, { compute_rate_microusd_per_sec: 10 });
    const { id } = await job();
    const p95 = async () => {
      await recordCosts();
      const [row] = await runSql<{ p95_microusd: string; kept: number }>(
        world.connection,
        "select p95_microusd, cardinality(recent) as kept from job_costs where project_id = $1 and job_id = $2",
        [project.id, id],
      );
      return [Number(row?.p95_microusd), row?.kept];
    };
    for (const cost of [1_000, 40]) {
      const run = await runningRun(world, project, { ...(await seededAs(id)), accepted: true });
      await run.sdk.post("/usage", { cost_microusd: cost });
      await world.clock.pass("5s");
      await run.sdk.post("/complete", { result: {} });
    }
    expect(await p95()).toEqual([1_050, 2]);
    await runSql(
      world.connection,
      "update job_costs set recent = array_fill(7::bigint, array[100]) where project_id = $1",
      [project.id],
    );
    const run = await runningRun(world, project, { ...(await seededAs(id)), accepted: true });
    await run.sdk.post("/usage", { cost_microusd: 9_000 });
    await run.sdk.post("/complete", { result: {} });
    expect(await p95()).toEqual([7, 100]);
  });

  it("grows with the cost the run reports beyond it, at once, and leaves less for others", async () => {
    const { project, job, spent, recordCosts } = await budgetBench(world, 1_000);
    const { path } = await job();
    const { body } = await project.api.post(`${path}/trigger`, {});
    const run = await heldBy(body.id);
    await run.sdk.post("/usage", { cost_microusd: 60 });
    expect(await spent()).toEqual([0, 100]);
    await run.sdk.post("/usage", { cost_microusd: 900 });
    expect(await spent()).toEqual([0, 960]);
    expect((await project.api.post(`${path}/trigger`, {})).status).toBe(402);
    await run.sdk.post("/complete", { result: {} });
    await recordCosts();
    expect(await spent()).toEqual([960, 0]);
  });
});

/** The job of a run that is inserted directly into the tables. */
async function seededAs(job_id: string) {
  const [row] = await runSql<{ version_id: string }>(world.connection, "select version_id from jobs where id = $1", [
    job_id,
  ]);
  return { job_id, job_version_id: row?.version_id ?? "" };
}

async function heldBy(run_id: string) {
  const [lane] = await runSql<{ project_id: string; host: string }>(
    world.connection,
    "select project_id, host from run_queue where run_id = $1",
    [run_id],
  );
  if (!lane) throw new Error("the run is not in the queue");
  await claimRuns(world.ctx, [{ ...lane, share: 10, bound: "-infinity" }]);
  return holderOf(world, run_id);
}
