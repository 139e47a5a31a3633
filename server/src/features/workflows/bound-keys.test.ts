import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow, REST } from "../../../test/seed/make-workflow.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const MINIMAL = { name: "Bound", steps: [REST] };

/** A project with a workflow in staging, one in production, one in none, and a key bound to staging. */
async function setUp() {
  const project = await world.project();
  const staging = (await project.api.get("/v1/environments/staging")).body.id as string;
  const production = (await project.api.get("/v1/environments/production")).body.id as string;
  const make = async (slug: string, environment_id: string | null) =>
    (await makeWorkflow(project, { slug, environment_id })).id as string;
  const workflows = {
    staging: await make("of-staging", staging),
    production: await make("of-production", production),
    shared: await make("shared", null),
  };
  const { api } = await project.newKey({ environment_id: staging });
  return { project, staging, production, workflows, api };
}

describe("a key bound to an environment", () => {
  it("A2 sees the workflows of its environment and those without one", async () => {
    const { api, workflows, production } = await setUp();
    const listed = (await api.get("/v1/workflows?order=asc")).body.data as { slug: string }[];
    expect(listed.map((workflow) => workflow.slug)).toEqual(["of-staging", "shared"]);
    expect((await api.get(`/v1/workflows/${workflows.staging}`)).status).toBe(200);
    expect((await api.get("/v1/workflows/shared/versions")).status).toBe(200);
    expect((await api.get(`/v1/workflows?environment_id=${production}`)).body.data).toEqual([]);
  });

  it("A2 finds no other: each path responds as for an unknown workflow", async () => {
    const { api, workflows } = await setUp();
    const { version_id } = (await api.get("/v1/workflows/of-staging")).body;
    for (const ref of [workflows.production, "of-production"]) {
      const path = `/v1/workflows/${ref}`;
      const responses = [
        await api.get(path),
        await api.patch(path, { name: "Mine" }),
        await api.delete(path),
        await api.post(`${path}/trigger`, {}),
        await api.get(`${path}/versions`),
        await api.get(`${path}/versions/${version_id}`),
      ];
      expect(responses.map((response) => [response.status, response.body.detail])).toEqual(
        responses.map(() => [404, "There is no such workflow."]),
      );
    }
  });

  it("A2 creates workflows only in its environment, with jobs that it can see", async () => {
    const { api, project, staging, production } = await setUp();
    expect((await api.post("/v1/workflows", MINIMAL)).body.environment_id).toBe(staging);
    expect((await api.post("/v1/workflows", { ...MINIMAL, environment_id: null })).body.environment_id).toBe(staging);
    const refused = await api.post("/v1/workflows", { ...MINIMAL, environment_id: production });
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.environment_id"]);
    const hidden = await makeJob(project, { environment_id: production });
    const steps = [{ step_ref: "a", job_id: hidden.id }];
    const unseen = await api.post("/v1/workflows", { ...MINIMAL, steps, on_failure_job_id: hidden.id });
    expect(unseen.body.errors.map((issue: { location: string }) => issue.location)).toEqual([
      "body.steps[0].job_id",
      "body.on_failure_job_id",
    ]);
    const shared = await makeJob(project);
    expect(
      (await api.post("/v1/workflows", { ...MINIMAL, steps: [{ step_ref: "a", job_id: shared.id }] })).status,
    ).toBe(201);
  });

  it("A2 changes the workflows of its environment, but cannot move one out of it", async () => {
    const { api, workflows, production } = await setUp();
    const path = `/v1/workflows/${workflows.staging}`;
    expect((await api.patch(path, { name: "Changed" })).body.name).toBe("Changed");
    expect((await api.patch(path, { environment_id: production })).status).toBe(422);
    expect((await api.patch(path, { environment_id: null })).status).toBe(403);
    expect((await api.delete(path)).status).toBe(204);
  });

  it("A2 403 for changing a workflow without an environment: the change would reach beyond its own", async () => {
    const { api, workflows, project, staging } = await setUp();
    const path = `/v1/workflows/${workflows.shared}`;
    const responses = [
      await api.patch(path, { timeout_secs: 5 }),
      await api.patch(path, { environment_id: staging }),
      await api.delete(path),
    ];
    expect(responses.map((response) => [response.status, response.body.code])).toEqual(
      responses.map(() => [403, "forbidden"]),
    );
    expect((await project.api.get(path)).body).toMatchObject({ version: 1, environment_id: null });
    expect((await api.post(`${path}/trigger`, {})).body.environment_id).toBe(staging);
  });
});
