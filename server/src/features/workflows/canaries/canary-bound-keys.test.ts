import { beforeAll, describe, expect, it } from "vitest";
import { makeWorkflow } from "../../../../test/seed/make-workflow.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function twoVersions(project: TestProject, environment_id: string | null) {
  const workflow = await makeWorkflow(project, { environment_id });
  await project.api.patch(workflow.path, { timeout_secs: 60 });
  return { ...workflow, canary: `${workflow.path}/canary` };
}

describe("a key bound to an environment", () => {
  it("A2 changes canaries of its own environment, reads those of shared workflows, and finds no others", async () => {
    const project = await world.project();
    const staging = (await project.api.get("/v1/environments/staging")).body.id as string;
    const production = (await project.api.get("/v1/environments/production")).body.id as string;
    const { api } = await project.newKey({ environment_id: staging });
    const [own, shared, foreign] = [
      await twoVersions(project, staging),
      await twoVersions(project, null),
      await twoVersions(project, production),
    ];
    const body = { source_version: 1, target_version: 2 };
    expect((await api.post(own.canary, body)).status).toBe(201);
    expect((await api.post(shared.canary, body)).status).toBe(403);
    expect((await project.api.post(shared.canary, body)).status).toBe(201);
    expect((await project.api.post(foreign.canary, body)).status).toBe(201);
    await project.api.post(`${shared.path}/trigger`, {});
    const seen = (await api.get(shared.canary)).body.metrics;
    expect([seen.source.runs, seen.target.runs]).toEqual([0, 0]);
    for (const [method, end] of [
      ["GET", ""],
      ["POST", ""],
      ["PATCH", ""],
      ["POST", "/promote"],
      ["POST", "/rollback"],
    ]) {
      const sent = method === "GET" || end !== "" ? undefined : method === "PATCH" ? { traffic_pct: 1 } : body;
      const response = await api.send(method as string, `${foreign.canary}${end}`, sent);
      expect([response.status, response.body.detail]).toEqual([404, "There is no such workflow."]);
    }
    expect((await api.post(`${shared.canary}/promote`)).status).toBe(403);
    expect((await api.patch(shared.canary, { traffic_pct: 1 })).status).toBe(403);
  });
});
