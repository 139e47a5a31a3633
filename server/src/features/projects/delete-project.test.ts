import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { later } from "../../../test/world/later.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("DELETE /v1/projects/{projectID}", () => {
  it("403 for the project's own key", async () => {
    const { id, api } = await world.project();
    expect((await api.delete(`/v1/projects/${id}`)).status).toBe(403);
    expect((await api.get(`/v1/projects/${id}`)).status).toBe(200);
  });

  it("makes everything in it 404 and its keys 401 from then on, and ends its sessions", async () => {
    const { id, slug, api, key, key_id } = await world.project();
    const environment = (await api.get("/v1/environments")).body.data[0].id;
    const signedIn = await world.anonymous.post("/v1/session", { api_key: key });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";

    expect((await world.admin.delete(`/v1/projects/${id}`)).status).toBe(204);

    const refused = await api.get("/v1/me");
    expect([refused.status, refused.body.code]).toEqual([401, "key_revoked"]);
    expect((await world.anonymous.get("/v1/me", { headers: { cookie } })).status).toBe(401);
    expect((await world.anonymous.post("/v1/session", { api_key: key })).status).toBe(401);
    const paths = [
      `/v1/projects/${id}`,
      `/v1/projects/${slug}`,
      `/v1/environments?project_id=${id}`,
      `/v1/environments/${environment}`,
      `/v1/environments/${environment}?project_id=${id}`,
      `/v1/api-keys/${key_id}`,
      `/v1/api-keys?project_id=${slug}`,
    ];
    for (const path of paths) expect([path, (await world.admin.get(path)).status]).toEqual([path, 404]);
    expect((await world.admin.patch(`/v1/environments/${environment}`, { name: "Ghost" })).status).toBe(404);
    expect((await world.admin.delete(`/v1/projects/${id}`)).status).toBe(404);
  });

  it("ends its keys on other instances within a second", async () => {
    const { id, key } = await world.project();
    const other = await world.anotherInstance();
    const ask = async () =>
      (await other.anonymous.get("/v1/me", { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await ask()).toBe(200);
    await world.admin.delete(`/v1/projects/${id}`);
    expect(await later(1_000, ask)).toBe(401);
  });

  it("frees its slug, keeps its row, and is audited", async () => {
    const { id } = await world.project({ slug: "phoenix" });
    await world.admin.delete(`/v1/projects/${id}`);
    const again = await world.admin.post("/v1/projects", { name: "Phoenix", slug: "phoenix" });
    expect(again.status).toBe(201);
    expect((await world.admin.get("/v1/projects/phoenix")).body.id).toBe(again.body.id);
    const events = await runSql(
      world.connection,
      "select action from audit_events where project_id = $1 and action = 'project.deleted'",
      [id],
    );
    expect(events).toHaveLength(1);
  });
});
