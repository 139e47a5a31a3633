import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const MINIMAL = { name: "Bound", endpoint_url: "https://jobs.example.com/" };

/** A project with a job of staging, one of production, one without an environment, and a key bound to staging. */
async function setUp() {
  const project = await world.project();
  const staging = (await project.api.get("/v1/environments/staging")).body.id as string;
  const production = (await project.api.get("/v1/environments/production")).body.id as string;
  const make = async (slug: string, environment_id: string | null) =>
    (await project.api.post("/v1/jobs", { ...MINIMAL, slug, environment_id })).body.id as string;
  const jobs = {
    staging: await make("of-staging", staging),
    production: await make("of-production", production),
    shared: await make("shared", null),
  };
  const { api } = await project.newKey({ environment_id: staging });
  return { project, staging, production, jobs, api };
}

describe("a key bound to an environment", () => {
  it("A2 sees the jobs of its environment and those without one", async () => {
    const { api, jobs, production } = await setUp();
    const listed = (await api.get("/v1/jobs?order=asc")).body.data as { slug: string }[];
    expect(listed.map((job) => job.slug)).toEqual(["of-staging", "shared"]);
    expect((await api.get(`/v1/jobs/${jobs.staging}`)).status).toBe(200);
    expect((await api.get("/v1/jobs/shared/versions")).status).toBe(200);
    expect((await api.get(`/v1/jobs?environment_id=${production}`)).body.data).toEqual([]);
  });

  it("A2 gets 404 for all others on each path, as for an unknown job", async () => {
    const { api, jobs } = await setUp();
    const job = (await api.get("/v1/jobs/of-staging")).body;
    for (const ref of [jobs.production, "of-production"]) {
      const responses = [
        await api.get(`/v1/jobs/${ref}`),
        await api.patch(`/v1/jobs/${ref}`, { name: "Mine" }),
        await api.delete(`/v1/jobs/${ref}`),
        await api.get(`/v1/jobs/${ref}/versions`),
        await api.get(`/v1/jobs/${ref}/versions/${job.version_id}`),
        await api.post(`/v1/jobs/${ref}/pause`),
        await api.post(`/v1/jobs/${ref}/resume`),
      ];
      expect(responses.map((response) => [response.status, response.body.detail])).toEqual(
        responses.map(() => [404, "There is no such job."]),
      );
    }
  });

  it("A2 creates jobs only for its environment", async () => {
    const { api, staging, production, jobs } = await setUp();
    expect((await api.post("/v1/jobs", MINIMAL)).body.environment_id).toBe(staging);
    expect((await api.post("/v1/jobs", { ...MINIMAL, environment_id: null })).body.environment_id).toBe(staging);
    const refused = await api.post("/v1/jobs", { ...MINIMAL, environment_id: production });
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.environment_id"]);
    const unseen = await api.post("/v1/jobs", { ...MINIMAL, on_failure_job_id: jobs.production });
    expect([unseen.status, unseen.body.errors[0].location]).toEqual([422, "body.on_failure_job_id"]);
    expect((await api.post("/v1/jobs", { ...MINIMAL, on_failure_job_id: jobs.shared })).status).toBe(201);
  });

  it("A2 changes the jobs of its environment, and cannot move one out of it", async () => {
    const { api, jobs, production } = await setUp();
    const path = `/v1/jobs/${jobs.staging}`;
    expect((await api.patch(path, { name: "Changed" })).body.name).toBe("Changed");
    expect((await api.patch(path, { environment_id: production })).status).toBe(422);
    expect((await api.patch(path, { environment_id: null })).status).toBe(403);
    expect((await api.post(`${path}/pause`)).status).toBe(200);
    expect((await api.delete(path)).status).toBe(204);
  });

  it("A2 403 for changing a job without an environment, which would affect all environments", async () => {
    const { api, jobs, project, staging } = await setUp();
    const path = `/v1/jobs/${jobs.shared}`;
    const responses = [
      await api.patch(path, { endpoint_url: "https://evil.example.com/" }),
      await api.patch(path, { environment_id: staging }),
      await api.post(`${path}/pause`),
      await api.post(`${path}/resume`),
      await api.delete(path),
    ];
    expect(responses.map((response) => [response.status, response.body.code])).toEqual(
      responses.map(() => [403, "forbidden"]),
    );
    expect((await project.api.get(path)).body).toMatchObject({ version: 1, paused_at: null });
  });
});
