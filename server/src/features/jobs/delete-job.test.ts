import { beforeAll, describe, expect, it } from "vitest";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const MINIMAL = { name: "Goes", endpoint_url: "https://jobs.example.com/" };

async function makeJob({ api }: TestProject, fields: object = {}) {
  const response = await api.post("/v1/jobs", { ...MINIMAL, ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return { ...response.body, path: `/v1/jobs/${response.body.id}` };
}

const rowsOf = async (id: string) => ({
  jobs: (await runSql(world.connection, "select 1 from jobs where id = $1", [id])).length,
  versions: (await runSql(world.connection, "select 1 from job_versions where job_id = $1", [id])).length,
  schedules: (await runSql(world.connection, "select 1 from schedules where job_id = $1", [id])).length,
});

describe("DELETE /v1/jobs/{jobID}", () => {
  it("by id or slug: returns 404 afterwards on every path, removes it from lists, and frees its slug", async () => {
    const project = await world.project();
    const job = await makeJob(project, { slug: "gone", cron: "@daily" });
    await seedRun(world.connection, project.id, { job_id: job.id });
    expect((await project.api.delete("/v1/jobs/gone")).status).toBe(204);
    for (const ref of [job.id, "gone"]) {
      const responses = [
        await project.api.get(`/v1/jobs/${ref}`),
        await project.api.patch(`/v1/jobs/${ref}`, { name: "Back" }),
        await project.api.delete(`/v1/jobs/${ref}`),
        await project.api.get(`/v1/jobs/${ref}/versions`),
        await project.api.get(`/v1/jobs/${ref}/versions/${job.version_id}`),
        await project.api.post(`/v1/jobs/${ref}/pause`),
        await project.api.post(`/v1/jobs/${ref}/resume`),
      ];
      expect(responses.map((response) => [response.status, response.body.code])).toEqual(
        responses.map(() => [404, "not_found"]),
      );
    }
    expect((await world.admin.get(job.path)).status).toBe(404);
    expect((await project.api.get("/v1/jobs")).body.data).toEqual([]);
    expect((await makeJob(project, { slug: "gone" })).id).not.toBe(job.id);
  });

  it("deletes its schedules at once", async () => {
    const project = await world.project();
    const job = await makeJob(project, { cron: "@daily" });
    expect(await rowsOf(job.id)).toEqual({ jobs: 1, versions: 1, schedules: 1 });
    await project.api.delete(job.path);
    expect((await rowsOf(job.id)).schedules).toBe(0);
  });

  it("keeps its runs readable and queued; runs blocked on its pause continue", async () => {
    const project = await world.project();
    const job = await makeJob(project);
    await project.api.post(`${job.path}/pause`);
    const blocked_on = `paused_job:${job.id}`;
    const run = await seedRun(world.connection, project.id, { job_id: job.id, blocked_on });
    await project.api.delete(job.path);
    expect((await project.api.get(`/v1/runs/${run}`)).body).toMatchObject({
      id: run,
      job_id: job.id,
      status: "pending",
    });
    const queued = await runSql(world.connection, "select blocked_on from run_queue where run_id = $1", [run]);
    expect(queued).toEqual([{ blocked_on: null }]);
  });

  it("is audited", async () => {
    const project = await world.project();
    const job = await makeJob(project, { headers: { Authorization: "hush-hush" } });
    await project.api.delete(job.path);
    const [event] = await runSql(
      world.connection,
      "select before, after from audit_events where resource_id = $1 and action = 'job.deleted'",
      [job.id],
    );
    expect(event).toMatchObject({ before: { id: job.id, headers: { Authorization: "[redacted]" } }, after: null });
  });

  it("409 while another job triggers it on failure, naming that job; old versions do not count", async () => {
    const project = await world.project();
    const rescue = await makeJob(project, { name: "Rescue" });
    const first = await makeJob(project, { name: "First", on_failure_job_id: rescue.id });
    const second = await makeJob(project, { name: "Second", on_failure_job_id: rescue.id });

    const refused = await project.api.delete(rescue.path);
    expect([refused.status, refused.body.code]).toEqual([409, "job_in_use"]);
    expect(refused.body.errors).toEqual([
      { location: "path.jobID", message: 'the job "First" names it as its on_failure_job_id', value: first.id },
      { location: "path.jobID", message: 'the job "Second" names it as its on_failure_job_id', value: second.id },
    ]);
    await project.api.patch(first.path, { on_failure_job_id: null });
    expect((await project.api.delete(rescue.path)).body.errors).toHaveLength(1);
    await project.api.delete(second.path);
    expect((await project.api.delete(rescue.path)).status).toBe(204);
  });

  it("A7 409 names only dependents the caller may read, and counts the rest", async () => {
    const project = await world.project();
    const rescue = await makeJob(project, { name: "Rescue" });
    const open = await makeJob(project, { name: "Open", on_failure_job_id: rescue.id });
    await makeJob(project, { name: "Hidden", on_failure_job_id: rescue.id, tags: { sec: "S" } });
    const steps = [{ step_ref: "a", job_id: rescue.id }];
    await project.api.post("/v1/workflows", { name: "Hidden flow", steps, tags: { sec: "S" } });
    const [denied, blind] = [await project.newKey(), await project.newKey({ scopes: ["jobs:write"] })];
    const actions = ["jobs:read", "workflows:read"];
    await project.api.post("/v1/tag-policies", {
      effect: "deny",
      actions,
      subject: `api_key:${denied.id}`,
      tag_key: "sec",
    });
    const refused = await denied.api.delete(rescue.path);
    expect(refused.body.errors).toEqual([
      { location: "path.jobID", message: 'the job "Open" names it as its on_failure_job_id', value: open.id },
      { location: "path.jobID", message: "objects you cannot read depend on it: 2", value: null },
    ]);
    expect(refused.text).not.toContain("Hidden");
    expect((await blind.api.delete(rescue.path)).text).not.toMatch(/Open|Hidden/);
  });

  it("leaves no job that refers to a deleted one, and no 500, while jobs are changed concurrently", async () => {
    const project = await world.project();
    for (let round = 0; round < sizeOf(4, 12); round++) {
      const rescue = await makeJob(project);
      const other = await makeJob(project);
      const [deleted, ...named] = await Promise.all([
        project.api.delete(rescue.path),
        project.api.post("/v1/jobs", { ...MINIMAL, on_failure_job_id: rescue.id }),
        project.api.patch(other.path, { on_failure_job_id: rescue.id }),
      ]);
      const statuses = named.map((response) => response.status);
      expect(statuses.every((status) => [200, 201, 422].includes(status))).toBe(true);
      expect(deleted.status).toBe(statuses.some((status) => status < 300) ? 409 : 204);
    }
  });

  it("frees its environment", async () => {
    const project = await world.project();
    const { id } = (await project.api.post("/v1/environments", { name: "Used" })).body;
    const job = await makeJob(project, { environment_id: id });
    await seedRun(world.connection, project.id, { job_id: job.id });
    const refused = await project.api.delete(`/v1/environments/${id}`);
    expect([refused.status, refused.body.code]).toEqual([409, "environment_in_use"]);
    expect(refused.body.errors).toEqual([
      { location: "path.envID", message: 'the job "Goes" depends on it', value: job.id },
    ]);
    await project.api.delete(job.path);
    expect((await project.api.delete(`/v1/environments/${id}`)).status).toBe(204);
  });

  it("P3 leaves no job without its environment, and no 500, when the environment is deleted concurrently", async () => {
    const project = await world.project();
    for (let round = 0; round < sizeOf(4, 12); round++) {
      const { id } = (await project.api.post("/v1/environments", { name: "Race" })).body;
      const other = await makeJob(project);
      const [deleted, ...used] = await Promise.all([
        project.api.delete(`/v1/environments/${id}`),
        project.api.post("/v1/jobs", { ...MINIMAL, environment_id: id }),
        project.api.patch(other.path, { environment_id: id }),
      ]);
      const statuses = used.map((response) => response.status);
      expect(statuses.every((status) => [200, 201, 422].includes(status))).toBe(true);
      expect(deleted.status).toBe(statuses.some((status) => status < 300) ? 409 : 204);
    }
  });

  it("A2 A11 404 for one of another project, 403 without jobs:write", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const job = await makeJob(other);
    expect((await mine.api.delete(job.path)).status).toBe(404);
    const { api } = await other.newKey({ scopes: ["jobs:read"] });
    expect((await api.delete(job.path)).status).toBe(403);
  });
});

describe("deleted jobs", () => {
  it("are removed with their versions when no run refers to them, but not within the first minute", async () => {
    const project = await world.project();
    const [unused, used, kept] = [await makeJob(project), await makeJob(project), await makeJob(project)];
    const run = await seedRun(world.connection, project.id, { job_id: used.id, status: "completed" });
    await project.api.delete(unused.path);
    await project.api.delete(used.path);

    await world.tick("remove-old-rows");
    expect(await rowsOf(unused.id)).toMatchObject({ jobs: 1, versions: 1 });
    await world.clock.pass("61s");
    await world.tick("remove-old-rows");
    expect(await rowsOf(unused.id)).toMatchObject({ jobs: 0, versions: 0 });
    expect(await rowsOf(used.id)).toMatchObject({ jobs: 1, versions: 1 });
    expect(await rowsOf(kept.id)).toMatchObject({ jobs: 1, versions: 1 });

    await runSql(world.connection, "delete from runs where id = $1", [run]);
    await world.tick("remove-old-rows");
    expect(await rowsOf(used.id)).toMatchObject({ jobs: 0, versions: 0 });
  });
});
