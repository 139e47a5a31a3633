import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { claimSome, fillQueue, makeJob } from "../../../test/world/queue-world.ts";
import type { TestProject, World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

describe("POST /v1/queues", () => {
  it("creates a queue with its defaults, and every project has the queue default", async () => {
    const { api } = await world.project();
    const created = await api.post("/v1/queues", { name: "mail", max_concurrency: 5 });
    expect([created.status, created.body]).toMatchObject([
      201,
      { name: "mail", max_concurrency: 5, rate_limit_max: null, weight: 100, paused: false, paused_at: null },
    ]);
    const { body } = await api.get("/v1/queues");
    expect(body.data.map((queue: { name: string }) => queue.name).sort()).toEqual(["default", "mail"]);
  });

  it("refuses a name that is taken, half a rate limit and a weight beyond 1000", async () => {
    expect(await project.api.post("/v1/queues", { name: "default" })).toMatchObject({
      status: 409,
      body: { code: "queue_taken" },
    });
    const half = await project.api.post("/v1/queues", { name: "half", rate_limit_max: 1 });
    expect([half.status, half.body.errors?.[0]?.location]).toEqual([422, "body.rate_limit_window_secs"]);
    const heavy = await project.api.post("/v1/queues", { name: "heavy", weight: 1001 });
    expect([heavy.status, heavy.body.errors?.[0]?.location]).toEqual([422, "body.weight"]);
  });
});

describe("GET /v1/queues", () => {
  it("lists the queues of the project only", async () => {
    const other = await world.project();
    await project.api.post("/v1/queues", { name: "own" });
    const { body } = await other.api.get("/v1/queues");
    expect(body.data).toMatchObject([{ name: "default", project_id: other.id }]);
  });

  it("returns the load of each queue", async () => {
    const { api } = await world.project();
    for (const name of ["busy", "empty"]) await api.post("/v1/queues", { name });
    const job = await makeJob({ api } as TestProject, { queue: "busy" });
    for (let n = 0; n < 3; n++) await api.post(`${job.path}/trigger`, {});
    expect(await claimSome(world.ctx, job, 1)).toHaveLength(1);
    await world.clock.pass("10s");
    const { body } = await api.get("/v1/queues?order=asc");
    const idle = { jobs: 0, depth: 0, in_flight: 0, workers: 0, oldest_age_secs: null };
    expect(body.data).toMatchObject([
      { name: "default", ...idle },
      { name: "busy", jobs: 1, depth: 2, in_flight: 1, workers: 0, oldest_age_secs: expect.closeTo(10, 0) },
      { name: "empty", ...idle },
    ]);
  });
});

describe("GET /v1/queues/{queueName}", () => {
  it("returns depth, age and what is in flight", async () => {
    const { api } = await world.project();
    await api.post("/v1/queues", { name: "load", max_concurrency: 1 });
    const job = await makeJob({ api } as TestProject, { queue: "load" });
    expect((await api.get("/v1/queues/load")).body).toMatchObject({ jobs: 1, depth: 0, oldest_age_secs: null });
    await api.post(`${job.path}/trigger`, {});
    await api.post(`${job.path}/trigger`, {});
    await world.clock.pass("10s");
    const { body } = await api.get("/v1/queues/load");
    expect(body).toMatchObject({ depth: 2, in_flight: 0, workers: 0 });
    expect(body.oldest_age_secs).toBeGreaterThanOrEqual(10);
  });

  it("404 for a queue that does not exist", async () => {
    expect((await project.api.get("/v1/queues/absent")).status).toBe(404);
  });
});

describe("PATCH /v1/queues/{queueName}", () => {
  it("changes its settings, tells its jobs, and writes nothing if nothing changes", async () => {
    const { api } = await world.project();
    await api.post("/v1/queues", { name: "tuned" });
    const job = await makeJob({ api } as TestProject, { queue: "tuned" });
    const read = () => runSql(world.connection, "select revision, queue_needs_check from jobs where id = $1", [job.id]);
    const updated = await api.patch("/v1/queues/tuned", { max_concurrency: 3 });
    expect([updated.status, updated.body.max_concurrency]).toEqual([200, 3]);
    expect(await read()).toEqual([{ revision: 2, queue_needs_check: true }]);
    await api.patch("/v1/queues/tuned", { max_concurrency: 3 });
    expect(await read()).toEqual([{ revision: 2, queue_needs_check: true }]);
    await api.patch("/v1/queues/tuned", { max_concurrency: null });
    expect(await read()).toEqual([{ revision: 3, queue_needs_check: false }]);
  });

  it("a job that is created in a limited queue, or moved there, knows it", async () => {
    const { api } = await world.project();
    await api.post("/v1/queues", { name: "strict", max_concurrency: 1 });
    const placed = await makeJob({ api } as TestProject, { queue: "strict" });
    const moved = await makeJob({ api } as TestProject);
    expect((await api.patch(moved.path, { queue: "strict" })).body).toMatchObject({ queue: "strict" });
    const rows = await runSql(world.connection, "select queue_needs_check from jobs where id = any($1)", [
      [placed.id, moved.id],
    ]);
    expect(rows).toEqual([{ queue_needs_check: true }, { queue_needs_check: true }]);
    expect(await api.patch(moved.path, { queue: "absent" })).toMatchObject({
      status: 422,
      body: { errors: [{ location: "body.queue" }] },
    });
  });
});

describe("POST /v1/queues/{queueName}/pause", () => {
  it("is shown by the queue and audited once", async () => {
    const { api } = await world.project();
    const { body: queue } = await api.post("/v1/queues", { name: "quiet" });
    for (let nth = 0; nth < 2; nth++)
      expect((await api.post("/v1/queues/quiet/pause")).body).toMatchObject({ paused: true });
    const events = await runSql(
      world.connection,
      "select action from audit_events where resource_id = $1 order by id",
      [queue.id],
    );
    expect(events).toEqual([{ action: "queue.created" }, { action: "queue.paused" }]);
  });
});

describe("POST /v1/queues/{queueName}/resume", () => {
  it("ends the pause", async () => {
    const { api } = await world.project();
    await api.post("/v1/queues", { name: "rested", paused: true });
    expect((await api.post("/v1/queues/rested/resume")).body).toMatchObject({ paused: false, paused_at: null });
  });
});

describe("DELETE /v1/queues/{queueName}", () => {
  it("refuses the default queue and one with jobs; removes an empty one", async () => {
    const { api } = await world.project();
    await api.post("/v1/queues", { name: "used" });
    const job = await makeJob({ api } as TestProject, { queue: "used" });
    expect((await api.delete("/v1/queues/default")).body.code).toBe("queue_is_default");
    expect((await api.delete("/v1/queues/used")).body.code).toBe("queue_in_use");
    await api.patch(job.path, { queue: "default" });
    expect((await api.delete("/v1/queues/used")).status).toBe(204);
    expect((await api.get("/v1/queues/used")).status).toBe(404);
  });

  it("R20 the runs of its deleted jobs, also those that it paused, continue in the queue default", async () => {
    const project = await world.project();
    const { api } = project;
    await api.post("/v1/queues", { name: "retired" });
    const job = await makeJob(project, { queue: "retired" });
    const [waiting] = await fillQueue(world.ctx, job, 1);
    await api.post("/v1/queues/retired/pause");
    expect(await claimSome(world.ctx, job)).toEqual([]);
    await api.delete(job.path);
    expect((await api.delete("/v1/queues/retired")).status).toBe(204);
    expect((await api.get("/v1/queues/default")).body).toMatchObject({ depth: 1, jobs: 0 });
    expect((await claimSome(world.ctx, job)).map((run) => run.run_id)).toEqual([waiting]);
  });
});
