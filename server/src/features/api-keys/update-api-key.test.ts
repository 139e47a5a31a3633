import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

const LIMITS = { requests_per_minute: 600, triggers_per_minute: 60, bulk_per_minute: 6 };

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

describe("rate limits of an API key", () => {
  it("are stored on creation, shown, and kept by a rotation", async () => {
    const { id } = await project.newKey({ rate_limits: LIMITS });
    expect((await project.api.get(`/v1/api-keys/${id}`)).body.rate_limits).toEqual(LIMITS);
    expect((await project.api.post(`/v1/api-keys/${id}/rotate`)).body.rate_limits).toEqual(LIMITS);
    const { body } = await project.api.post("/v1/api-keys", { name: "Plain" });
    expect(body.rate_limits).toBeNull();
  });

  it.each([
    { rate_limits: { requests_per_minute: 0 } },
    { rate_limits: { requests_per_minute: 1.5 } },
    { rate_limits: { triggers_per_minute: 10_000_001 } },
    { rate_limits: { trigger_per_minute: 10 } },
    { rate_limits: 100 },
  ])("%j is 422", async (body) => {
    expect((await project.api.post("/v1/api-keys", { name: "Wrong", ...body })).status).toBe(422);
  });
});

describe("PATCH /v1/api-keys/{keyID}", () => {
  const change = (id: string, body: object) => project.api.patch(`/v1/api-keys/${id}`, body);

  it("changes the name and the limits, and nothing else", async () => {
    const { id } = await project.newKey({ scopes: ["jobs:read"] });
    const before = (await project.api.get(`/v1/api-keys/${id}`)).body;
    const { status, body } = await change(id, { name: "Batch", rate_limits: { triggers_per_minute: 60 } });
    const limits = { requests_per_minute: null, triggers_per_minute: 60, bulk_per_minute: null };
    expect([status, body]).toEqual([
      200,
      { ...before, name: "Batch", rate_limits: limits, updated_at: expect.any(String) },
    ]);
    expect((await change(id, { rate_limits: null })).body).toMatchObject({ name: "Batch", rate_limits: null });
  });

  it("records an audit event for a change, and none for a repeated one", async () => {
    const { id } = await project.newKey({ rate_limits: LIMITS });
    await change(id, { rate_limits: LIMITS });
    await change(id, { name: "Named" });
    const { body } = await project.api.get(`/v1/audit-events?resource_id=${id}`);
    const actions = body.data.map(({ action }: { action: string }) => action);
    expect(actions.filter((action: string) => action === "api_key.updated")).toHaveLength(1);
  });

  it("is 409 for a revoked key, 403 for one with wider permissions, 404 in another project", async () => {
    const { id } = await project.newKey();
    const narrow = await project.newKey({ scopes: ["api-keys:write", "api-keys:read"] });
    expect((await world.as(narrow.key).patch(`/v1/api-keys/${id}`, { name: "Mine" })).body.code).toBe("grant_too_wide");
    const other = await world.project();
    expect((await other.api.patch(`/v1/api-keys/${id}`, { name: "Mine" })).status).toBe(404);
    await project.api.delete(`/v1/api-keys/${id}`);
    expect((await change(id, { name: "Late" })).body.code).toBe("api_key_revoked");
  });
});
