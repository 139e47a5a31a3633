import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type JobEndpoint, jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
let endpoint: JobEndpoint;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});
beforeEach(async () => {
  endpoint = await jobEndpoint();
});

type Job = { id: string };
async function makeJob(fields: object = {}): Promise<Job> {
  const response = await project.api.post("/v1/jobs", { name: "Job", endpoint_url: endpoint.url, ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return response.body;
}
const trigger = ({ id }: Job, body: object = {}) => project.api.post(`/v1/jobs/${id}/trigger`, body);
const readRun = async (id: string) => (await project.api.get(`/v1/runs/${id}`)).body;
const countRuns = async ({ id }: Job) =>
  (await runSql(world.connection, "select 1 from runs where job_id = $1", [id])).length;
const payloads = () => endpoint.dispatches.map(({ body }) => body.payload);

describe("a job with dedup_window_secs", () => {
  it("returns the existing run for the same payload within the window, and starts none", async () => {
    await world.clock.set("2030-01-01T00:00:00Z");
    const job = await makeJob({ dedup_window_secs: 60 });
    const first = await trigger(job, { payload: { a: 1, b: { c: 2, d: 3 } } });
    await world.clock.set("2030-01-01T00:00:59.999Z");
    const again = await trigger(job, { payload: { b: { d: 3, c: 2 }, a: 1 }, tags: ["other"] });
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
    await world.clock.set("2030-01-01T00:01:00Z");
    expect((await trigger(job, { payload: { a: 1, b: { c: 2, d: 3 } } })).status).toBe(201);
    expect(await countRuns(job)).toBe(2);
  });

  it("distinguishes payloads and environments", async () => {
    const job = await makeJob({ dedup_window_secs: 60 });
    const requested = [
      { payload: 1 },
      { payload: "1" },
      { payload: [1] },
      {},
      { payload: 1, environment_id: "staging" },
    ];
    for (const body of requested) expect((await trigger(job, body)).status).toBe(201);
    for (const body of requested) expect((await trigger(job, body)).status).toBe(200);
    expect((await trigger(await makeJob({ dedup_window_secs: 60 }), { payload: 1 })).status).toBe(201);
  });

  it("returns the existing run also when it has ended", async () => {
    const job = await makeJob({ dedup_window_secs: 60 });
    const { id } = (await trigger(job)).body;
    await world.runUntilIdle();
    expect((await trigger(job)).body).toMatchObject({ id, status: "completed" });
  });

  it("starts one run for thirty concurrent triggers", async () => {
    const job = await makeJob({ dedup_window_secs: 60 });
    const other = await world.anotherInstance();
    const headers = { authorization: `Bearer ${project.key}`, "content-type": "application/json" };
    const responses = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const url = `${n % 2 ? world.url : other.url}/v1/jobs/${job.id}/trigger`;
        const response = await fetch(url, { method: "POST", headers, body: '{"payload":1}' });
        return (await response.json()) as { id: string };
      }),
    );
    expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
    expect(await countRuns(job)).toBe(1);
  });

  it("maps an idempotency key to the existing run", async () => {
    const job = await makeJob({ dedup_window_secs: 60 });
    const { id } = (await trigger(job, { payload: 1 })).body;
    expect((await trigger(job, { payload: 1, idempotency_key: "k" })).body.id).toBe(id);
    await world.clock.pass("2m");
    expect((await trigger(job, { payload: 1, idempotency_key: "k" })).body.id).toBe(id);
  });
});

describe("a job with debounce_window_secs", () => {
  it("replaces the payload and postpones the start while the run waits, and dispatches once", async () => {
    await world.clock.set("2030-01-01T00:00:00Z");
    const job = await makeJob({ debounce_window_secs: 10 });
    const first = await trigger(job, { payload: 1 });
    expect([first.status, first.body.scheduled_at]).toEqual([201, "2030-01-01T00:00:10.000Z"]);
    await world.clock.pass("9s");
    const second = await trigger(job, { payload: 2, tags: ["late"], metadata: { m: 1 } });
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({
      id: first.body.id,
      payload: 2,
      tags: { late: "true" },
      metadata: { m: 1 },
      scheduled_at: "2030-01-01T00:00:19.000Z",
    });
    await world.clock.set("2030-01-01T00:00:18.999Z");
    await world.runUntilIdle();
    expect(endpoint.dispatches).toEqual([]);
    await world.clock.set("2030-01-01T00:00:19Z");
    await world.runUntilIdle();
    expect([payloads(), await countRuns(job)]).toEqual([[2], 1]);
  });

  it("debounces each concurrency key separately", async () => {
    const job = await makeJob({ debounce_window_secs: 10 });
    const requested = [{}, { concurrency_key: "a" }, { concurrency_key: "b" }];
    for (const body of requested) expect((await trigger(job, { ...body, payload: 1 })).status).toBe(201);
    for (const body of requested) expect((await trigger(job, { ...body, payload: 2 })).status).toBe(200);
    expect(await countRuns(job)).toBe(3);
  });

  it("does not change a run that has started: the next trigger is a new run", async () => {
    const job = await makeJob({ debounce_window_secs: 10 });
    endpoint.respondWith({ status: 503 }, { status: 200 });
    const { id } = (await trigger(job, { payload: 1 })).body;
    await world.clock.pass("10s");
    await world.runUntilIdle();
    expect(await readRun(id)).toMatchObject({ status: "pending", attempt: 1 });
    const next = await trigger(job, { payload: 2 });
    expect([next.status, next.body.id === id]).toEqual([201, false]);
    expect((await readRun(id)).payload).toBe(1);
    await world.clock.pass("20s");
    await world.runUntilIdle();
    expect(payloads().toSorted()).toEqual([1, 1, 2]);
  });

  it("starts after ten windows at the latest, however often it is triggered", async () => {
    await world.clock.set("2030-02-01T00:00:00Z");
    const job = await makeJob({ debounce_window_secs: 60 });
    const { id } = (await trigger(job, { payload: 0 })).body;
    for (let n = 1; n <= 12; n++) {
      await world.clock.pass("48s");
      await trigger(job, { payload: n });
    }
    expect(await readRun(id)).toMatchObject({ payload: 12, scheduled_at: "2030-02-01T00:10:00.000Z" });
    await world.clock.set("2030-02-01T00:10:00Z");
    await world.runUntilIdle();
    expect(payloads()).toEqual([12]);
  });

  it("uses the version of the last trigger", async () => {
    const job = await makeJob({ debounce_window_secs: 10 });
    const { id } = (await trigger(job, { payload: 1 })).body;
    const changed = await project.api.patch(`/v1/jobs/${job.id}`, { max_attempts: 9 });
    await trigger(job, { payload: 2 });
    expect((await readRun(id)).job_version_id).toBe(changed.body.version_id);
  });

  it("postpones the expiry along with the start", async () => {
    await world.clock.set("2030-03-01T00:00:00Z");
    const job = await makeJob({ debounce_window_secs: 60, run_ttl_secs: 30 });
    const { id } = (await trigger(job, { payload: 1 })).body;
    await world.clock.pass("50s");
    await trigger(job, { payload: 2 });
    await world.clock.pass("59s");
    await world.runUntilIdle();
    expect(await readRun(id)).toMatchObject({ status: "pending" });
    await world.clock.pass("1s");
    await world.runUntilIdle();
    expect(await readRun(id)).toMatchObject({ status: "completed" });
  });

  it("creates one run with one of the payloads for fifty concurrent triggers", async () => {
    const job = await makeJob({ debounce_window_secs: 10 });
    const responses = await Promise.all(Array.from({ length: 50 }, (_, n) => trigger(job, { payload: n })));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    await world.clock.pass("11s");
    await world.runUntilIdle();
    expect(endpoint.dispatches).toHaveLength(1);
  });
});

describe("a job with run_ttl_secs", () => {
  it("cancels a run that was not started in time", async () => {
    await world.clock.set("2030-04-01T00:00:00Z");
    const job = await makeJob({ run_ttl_secs: 30 });
    await project.api.post(`/v1/jobs/${job.id}/pause`);
    const { id } = (await trigger(job)).body;
    await world.clock.pass("29s");
    await world.runUntilIdle();
    expect((await readRun(id)).status).toBe("pending");
    await world.clock.pass("1s");
    await world.tick("expire-runs");
    expect(await readRun(id)).toMatchObject({
      status: "canceled",
      error: { code: "expired" },
      finished_at: "2030-04-01T00:00:30.000Z",
      dead_lettered_at: null,
    });
    const [move] = (await project.api.get(`/v1/runs/${id}/transitions?order=desc`)).body.data;
    expect(move).toMatchObject({ from_status: "pending", to_status: "canceled", cause: "expired" });
    await project.api.post(`/v1/jobs/${job.id}/resume`);
    await world.runUntilIdle();
    expect(endpoint.dispatches).toEqual([]);
  });

  it("counts from the time a run is due, and not once it has started", async () => {
    await world.clock.set("2030-05-01T00:00:00Z");
    const job = await makeJob({ run_ttl_secs: 30, retry_strategy: "custom", retry_delays_secs: [3_600] });
    endpoint.respondWith({ status: 503 }, { status: 200 });
    const { id } = (await trigger(job, { delay_secs: 100 })).body;
    await world.clock.pass("1m40s");
    await world.runUntilIdle();
    expect(await readRun(id)).toMatchObject({ status: "pending", attempt: 1 });
    await world.clock.pass("2h");
    await world.tick("expire-runs");
    await world.runUntilIdle();
    expect(await readRun(id)).toMatchObject({ status: "completed", attempt: 2 });
  });

  it("starts over for a run that was paused before it started", async () => {
    await world.clock.set("2030-06-01T00:00:00Z");
    const job = await makeJob({ run_ttl_secs: 30 });
    await project.api.post(`/v1/jobs/${job.id}/pause`);
    const { id } = (await trigger(job)).body;
    await project.api.post(`/v1/runs/${id}/pause`);
    await world.clock.pass("1h");
    await world.tick("expire-runs");
    await project.api.post(`/v1/runs/${id}/resume`);
    await world.clock.pass("29s");
    await world.tick("expire-runs");
    expect((await readRun(id)).status).toBe("pending");
    await world.clock.pass("1s");
    await world.tick("expire-runs");
    expect(await readRun(id)).toMatchObject({ status: "canceled", error: { code: "expired" } });
  });
});
