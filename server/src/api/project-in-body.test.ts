import { beforeAll, describe, expect, it } from "vitest";
import { makeJob } from "../../test/seed/make-workflow.ts";
import { seedTrigger } from "../../test/seed/seed-trigger.ts";
import { makeWorld, type TestProject, type World } from "../../test/world/world.ts";

let world: World;
let project: TestProject;
let other: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  other = await world.project();
});

describe("project_id in a body", () => {
  it.each([
    ["put", "/v1/project-budget", { monthly_budget_microusd: null }],
    ["put", "/v1/project-config", { revision: 0, objects: [] }],
    ["put", "/v1/usage/email-preferences", { monthly_usage_email: false }],
    ["post", "/v1/events/purge", { older_than_days: 1, dry_run: true }],
    ["post", "/v1/events/prefix/none/send", { payload: 1 }],
  ] as const)("A1 says with the internal secret which project is meant: %s %s", async (method, path, body) => {
    expect((await world.admin[method](path, body)).body.code).toBe("project_required");
    for (const name of [project.id, project.slug]) {
      const response = await world.admin[method](path, { ...body, project_id: name });
      expect(response.status, response.text).toBe(200);
    }
    expect((await project.api[method](path, { ...body, project_id: project.id })).status).toBe(200);
    const refused = await project.api[method](path, { ...body, project_id: other.id });
    expect([refused.status, refused.body.code]).toEqual([403, "project_mismatch"]);
  });

  it("A1 T3 selects the project of an event", async () => {
    await seedTrigger(world.connection, project.id, { event_key: "named" });
    const path = "/v1/events/named/send";
    expect((await world.admin.post(path, { payload: 1, project_id: other.id })).status).toBe(404);
    const sent = await world.admin.post(path, { payload: 1, project_id: project.id });
    expect([sent.status, sent.body.status]).toEqual([200, "received"]);
  });

  it("A1 finds a job by its slug, also to edit or pause it", async () => {
    const { slug } = await makeJob(project, { slug: "by-slug" });
    expect((await world.admin.patch(`/v1/jobs/${slug}`, { name: "Edited" })).body.code).toBe("project_required");
    for (const name of [project.id, project.slug]) {
      const edited = await world.admin.patch(`/v1/jobs/${slug}`, { name: "Edited", project_id: name });
      expect([edited.status, edited.body.name]).toEqual([200, "Edited"]);
      expect((await world.admin.post(`/v1/jobs/${slug}/pause`, { project_id: name })).status).toBe(200);
    }
  });

  it("O3 must be text", async () => {
    const response = await project.api.post("/v1/events/purge", { older_than_days: 1, project_id: 5 });
    expect([response.status, response.body.errors[0].location]).toEqual([422, "body.project_id"]);
    const { id } = await makeJob(project);
    const patched = await world.admin.patch(`/v1/jobs/${id}`, { project_id: 5 });
    expect([patched.status, patched.body.errors[0].location]).toEqual([422, "body.project_id"]);
  });
});

describe("a body on a route that reads none", () => {
  it("O3 may be absent or empty; otherwise it is refused, and the error names its first field", async () => {
    const { id } = await makeJob(project);
    const pause = (body?: unknown) => project.api.post(`/v1/jobs/${id}/pause`, body);
    for (const body of [undefined, {}, { $schema: "https://example.com/" }])
      expect((await pause(body)).status).toBe(200);
    const refused = await pause({ reason: "a typo never passes silently" });
    expect([refused.status, refused.body.code, refused.body.errors[0].location]).toEqual([
      422,
      "validation_failed",
      "body.reason",
    ]);
    for (const body of ["[]", "null", '"pause"', "1"]) expect((await pause(body)).status, body).toBe(422);
  });
});
