import { beforeAll, describe, expect, it } from "vitest";
import { rolledUpCosts, rollUpCosts } from "../../../test/seed/roll-up-costs.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import { seedDispatched } from "../../../test/seed/seed-dispatched.ts";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
  project = await world.project({ compute_rate_microusd_per_sec: 3 });
});

describe("GET /v1/runs/{runID}/cost", () => {
  it("N7 returns the cost of each dispatch from the rollups", async () => {
    const job = await seedJob(world.connection, project.id);
    const [run_id] = await seedDispatched(world.connection, project.id, [
      {
        ...{ job, at: "2030-06-15T10:00:00Z" },
        dispatches: [
          { ms: 1_500, to: "pending", cause: "retry", cost: 7 },
          { ms: 500, to: "waiting" },
          { ms: 2_000, cost: 2 },
        ],
      },
    ]);
    const { status, body } = await project.api.get(`/v1/runs/${run_id}/cost`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ run_id, total_microusd: 22, reported_microusd: 9, compute_microusd: 13, wall_ms: 4_000, dispatches: 3 },
      is_running: false,
      attempts: [
        { attempt: 1, outcome: "retried", wall_ms: 1_500, compute_microusd: 5, reported_microusd: 7 },
        { attempt: 2, outcome: "waiting", wall_ms: 500, compute_microusd: 2, reported_microusd: 0 },
        { attempt: 3, outcome: "completed", wall_ms: 2_000, compute_microusd: 6, reported_microusd: 2 },
      ],
    });
    await rollUpCosts(world);
    const [rolledUp] = await rolledUpCosts(world, project.id);
    expect(rolledUp).toMatchObject({ reported_microusd: 9, compute_microusd: 13, wall_ms: 4_000 });
  });

  it("N7 includes reported usage of a run in progress, and its time once the dispatch has ended", async () => {
    const run = await runningRun(world, project);
    await run.sdk.post("/usage", { cost_microusd: 5 });
    await world.clock.pass("2s");
    const cost = async () => (await project.api.get(`/v1/runs/${run.run_id}/cost`)).body;
    expect(await cost()).toMatchObject({ total_microusd: 5, compute_microusd: 0, dispatches: 0, is_running: true });
    await run.sdk.post("/complete", {});
    expect(await cost()).toMatchObject({ total_microusd: 11, compute_microusd: 6, dispatches: 1, is_running: false });
  });

  it("N7 keeps its price when the rate changes", async () => {
    const job = await seedJob(world.connection, project.id);
    const seed = { job, at: "2030-06-15T11:00:00Z", dispatches: [{ ms: 10_000 }] };
    const [run_id] = await seedDispatched(world.connection, project.id, [seed]);
    await world.admin.patch(`/v1/projects/${project.id}`, { compute_rate_microusd_per_sec: 500 });
    expect((await project.api.get(`/v1/runs/${run_id}/cost`)).body.compute_microusd).toBe(30);
    await world.admin.patch(`/v1/projects/${project.id}`, { compute_rate_microusd_per_sec: 3 });
  });

  it("N7 finds a dispatch that took longer than a day", async () => {
    const job = await seedJob(world.connection, project.id);
    const seed = { job, at: "2030-06-01T11:00:00Z", dispatches: [{ ms: 5 * 86_400_000 }] };
    const [run_id] = await seedDispatched(world.connection, project.id, [seed]);
    expect((await project.api.get(`/v1/runs/${run_id}/cost`)).body.wall_ms).toBe(5 * 86_400_000);
  });

  it("A2 404 for a run of another project or environment", async () => {
    const { run_id } = await runningRun(world, project);
    expect((await (await world.project()).api.get(`/v1/runs/${run_id}/cost`)).status).toBe(404);
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const bound = await project.newKey({ environment_id: staging });
    expect((await bound.api.get(`/v1/runs/${run_id}/cost`)).status).toBe(404);
  });
});
