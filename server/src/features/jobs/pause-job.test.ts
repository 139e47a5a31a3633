import { beforeAll, describe, expect, it } from "vitest";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function makeJob({ api }: TestProject, fields: object = {}) {
  const response = await api.post("/v1/jobs", { name: "Rests", endpoint_url: "https://jobs.example.com/", ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return { ...response.body, path: `/v1/jobs/${response.body.id}` };
}

async function stateOf(job: { id: string }, run: string) {
  const [queued] = await runSql(world.connection, "select blocked_on from run_queue where run_id = $1", [run]);
  const [row] = await runSql(world.connection, "select revision from jobs where id = $1", [job.id]);
  const events = await runSql<{ action: string }>(
    world.connection,
    "select action from audit_events where resource_id = $1 and action <> 'job.created' order by id",
    [job.id],
  );
  return { blocked_on: queued?.blocked_on, revision: row?.revision, audit: events.map((event) => event.action) };
}

describe("POST /v1/jobs/{jobID}/pause", () => {
  it("returns the time of the pause, blocks queued runs and is audited", async () => {
    const project = await world.project();
    const job = await makeJob(project, { slug: "rests" });
    const run = await seedRun(world.connection, project.id, { job_id: job.id });
    const paused = await project.api.post("/v1/jobs/rests/pause");
    expect([paused.status, paused.body]).toEqual([
      200,
      { ...paused.body, id: job.id, version: 1, paused_at: expect.stringMatching(/Z$/) },
    ]);
    expect(await stateOf(job, run)).toEqual({
      blocked_on: `paused_job:${job.id}`,
      revision: 2,
      audit: ["job.paused"],
    });
    expect((await project.api.get(job.path)).body).toEqual(paused.body);
  });

  it("is idempotent, but blocks runs that the first call missed", async () => {
    const project = await world.project();
    const job = await makeJob(project);
    const first = await project.api.post(`${job.path}/pause`);
    const run = await seedRun(world.connection, project.id, { job_id: job.id });
    await world.clock.pass("1m");
    const second = await project.api.post(`${job.path}/pause`);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await stateOf(job, run)).toEqual({ blocked_on: `paused_job:${job.id}`, revision: 2, audit: ["job.paused"] });
  });

  it("does not affect the runs of other jobs, and keeps the schedule of an updated job paused", async () => {
    const project = await world.project();
    const [job, other] = [await makeJob(project), await makeJob(project)];
    const run = await seedRun(world.connection, project.id, { job_id: other.id });
    const { body } = await project.api.post(`${job.path}/pause`);
    expect((await stateOf(other, run)).blocked_on).toBeNull();
    const changed = await project.api.patch(job.path, { max_attempts: 9 });
    expect(changed.body.paused_at).toBe(body.paused_at);
  });

  it("is one change under concurrent requests", async () => {
    const project = await world.project();
    const job = await makeJob(project);
    const responses = await Promise.all(Array.from({ length: 8 }, () => project.api.post(`${job.path}/pause`)));
    expect(new Set(responses.map((response) => response.body.paused_at)).size).toBe(1);
    const run = await seedRun(world.connection, project.id);
    expect(await stateOf(job, run)).toMatchObject({ revision: 2, audit: ["job.paused"] });
  });

  it("A2 A11 404 for one of another project, 403 without jobs:write", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const job = await makeJob(other);
    expect((await mine.api.post(`${job.path}/pause`)).status).toBe(404);
    const { api } = await other.newKey({ scopes: ["jobs:read", "jobs:trigger"] });
    expect((await api.post(`${job.path}/pause`)).status).toBe(403);
  });
});

describe("POST /v1/jobs/{jobID}/resume", () => {
  it("ends a pause, requeues blocked runs and is audited", async () => {
    const project = await world.project();
    const job = await makeJob(project);
    const run = await seedRun(world.connection, project.id, { job_id: job.id });
    await project.api.post(`${job.path}/pause`);
    const resumed = await project.api.post(`${job.path}/resume`);
    expect([resumed.status, resumed.body.paused_at]).toEqual([200, null]);
    expect(await stateOf(job, run)).toEqual({ blocked_on: null, revision: 3, audit: ["job.paused", "job.resumed"] });
  });

  it("changes nothing if the job is not paused", async () => {
    const project = await world.project();
    const job = await makeJob(project);
    const run = await seedRun(world.connection, project.id, { job_id: job.id });
    const response = await project.api.post(`${job.path}/resume`);
    expect([response.status, response.body.updated_at]).toEqual([200, job.updated_at]);
    expect(await stateOf(job, run)).toEqual({ blocked_on: null, revision: 1, audit: [] });
  });
});
