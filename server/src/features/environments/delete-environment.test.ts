import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("DELETE /v1/environments/{envID}", () => {
  it("P3 is permanent, by id or slug, and audited", async () => {
    const { api } = await world.project();
    const { id } = (await api.post("/v1/environments", { name: "Gone", slug: "gone", variables: { A: "v-1" } })).body;
    expect((await api.delete("/v1/environments/gone")).status).toBe(204);
    expect((await api.get(`/v1/environments/${id}`)).status).toBe(404);
    expect((await api.delete(`/v1/environments/${id}`)).status).toBe(404);
    const [event] = await runSql(
      world.connection,
      "select before, after from audit_events where resource_id = $1 and action = 'environment.deleted'",
      [id],
    );
    expect(event).toMatchObject({ before: { name: "Gone", variables: { A: "[redacted]" } }, after: null });
    expect((await api.post("/v1/environments", { name: "Again", slug: "gone" })).status).toBe(201);
  });

  it("P3 409 for the standard environments", async () => {
    const { api } = await world.project();
    for (const slug of ["production", "staging", "development"]) {
      const response = await api.delete(`/v1/environments/${slug}`);
      expect([response.status, response.body.code]).toEqual([409, "environment_is_standard"]);
    }
  });

  it("P3 409 with the list of dependents; succeeds without any", async () => {
    const { api, newKey } = await world.project();
    const { id } = (await api.post("/v1/environments", { name: "Used" })).body;
    const child = (await api.post("/v1/environments", { name: "Child", parent_id: id })).body;
    const key = await newKey({ name: "Key of it", environment_id: id });
    const ended = await newKey({ name: "Ended", environment_id: id });
    await api.delete(`/v1/api-keys/${ended.id}`);

    const refused = await api.delete(`/v1/environments/${id}`);
    expect([refused.status, refused.body.code]).toEqual([409, "environment_in_use"]);
    expect(refused.body.errors).toEqual([
      { location: "path.envID", message: 'the API key "Key of it" depends on it', value: key.id },
      { location: "path.envID", message: 'the environment "Child" depends on it', value: child.id },
    ]);

    await api.patch(`/v1/environments/${child.id}`, { parent_id: null });
    expect((await api.delete(`/v1/environments/${id}`)).body.errors).toHaveLength(1);
    await api.delete(`/v1/api-keys/${key.id}`);
    expect((await api.delete(`/v1/environments/${id}`)).status).toBe(204);
    expect((await world.as(key.key).get("/v1/me")).status).toBe(401);
  });

  it("A7 409 names only dependents the caller may read, and counts the rest", async () => {
    const { api, newKey } = await world.project();
    const { id } = (await api.post("/v1/environments", { name: "Used" })).body;
    const job = { endpoint_url: "https://example.com/", environment_id: id };
    await api.post("/v1/jobs", { ...job, name: "Secret", tags: { sec: "S" } });
    const open = (await api.post("/v1/jobs", { ...job, name: "Open" })).body;
    const [denied, blind] = [await newKey(), await newKey({ scopes: ["environments:write"] })];
    const tag = { effect: "deny", actions: ["jobs:read"], subject: `api_key:${denied.id}`, tag_key: "sec" };
    await api.post("/v1/tag-policies", tag);
    const location = "path.envID";
    const rest = (count: number) => ({
      location,
      message: `objects you cannot read depend on it: ${count}`,
      value: null,
    });
    expect((await denied.api.delete(`/v1/environments/${id}`)).body.errors).toEqual([
      { location, message: 'the job "Open" depends on it', value: open.id },
      rest(1),
    ]);
    expect((await blind.api.delete(`/v1/environments/${id}`)).body.errors).toEqual([rest(2)]);
  });

  it("P3 leaves no key without its environment, and no 500, while keys are created for it concurrently", async () => {
    const { id: project_id, api } = await world.project();
    const outcomes = new Set<string>();
    for (let round = 0; round < sizeOf(4, 25); round++) {
      const { id } = (await api.post("/v1/environments", { name: "Race" })).body;
      const [deleted, ...created] = await Promise.all([
        api.delete(`/v1/environments/${id}`),
        api.post("/v1/api-keys", { name: "Racer", environment_id: id }),
        api.post("/v1/api-keys", { name: "Racer", environment_id: id }),
      ]);
      const made = created.filter((response) => response.status === 201).length;
      expect(created.filter((response) => ![201, 422].includes(response.status))).toEqual([]);
      expect([deleted.status, made > 0]).toEqual(made > 0 ? [409, true] : [204, false]);
      outcomes.add(`${deleted.status}`);
    }
    const orphans = await runSql(
      world.connection,
      `select 1 from api_keys k where project_id = $1 and environment_id is not null and not exists
         (select 1 from environments e where e.project_id = $1 and e.id = k.environment_id)`,
      [project_id],
    );
    expect(orphans).toEqual([]);
    expect(outcomes.size).toBeGreaterThan(0);
  });

  it("A11 403 without environments:write, 404 for one of another project", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const { id } = (await other.api.post("/v1/environments", { name: "Theirs" })).body;
    expect((await mine.api.delete(`/v1/environments/${id}`)).status).toBe(404);
    const { api } = await other.newKey({ scopes: ["environments:read"] });
    expect((await api.delete(`/v1/environments/${id}`)).status).toBe(403);
  });
});
