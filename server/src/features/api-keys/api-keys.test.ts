import { beforeAll, describe, expect, it } from "vitest";
import { dumpTables } from "../../../test/oracles/dump-tables.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const NEVER = "0190a1b2-0000-7000-8000-000000000000";
const namesOf = (response: { body: { data: { name: string }[] } }) => response.body.data.map((each) => each.name);

describe("POST /v1/api-keys", () => {
  it("A9 accepts every specified field and returns all of them, and the secret", async () => {
    const { id: project_id } = await world.project({ org_id: "acme" });
    const environment_id = (await world.admin.get(`/v1/environments?project_id=${project_id}`)).body.data[0].id;
    const created = await world.admin.post("/v1/api-keys", {
      name: "CI",
      project_id,
      environment_id,
      expires_in_days: 30,
      org_id: "acme",
      rotation_interval_days: 7,
      scopes: ["jobs:read", "jobs:trigger"],
    });
    expect(created.status).toBe(201);
    const { key, created_at } = created.body;
    expect(key).toMatch(/^svc_[0-9A-Za-z]{40}$/);
    expect(created.body).toEqual({
      $schema: `${world.url}/schemas/CreatedApiKey.json`,
      id: expect.any(String),
      project_id,
      environment_id,
      org_id: "acme",
      name: "CI",
      subject: null,
      key,
      key_prefix: key.slice(0, 12),
      scopes: ["jobs:read", "jobs:trigger"],
      rate_limits: null,
      queues: null,
      worker_environment_ids: null,
      status: "active",
      expires_at: new Date(Date.parse(created_at) + 30 * 86_400_000).toISOString(),
      rotation_interval_days: 7,
      rotated_at: created_at,
      rotation_due: false,
      previous_key_expires_at: null,
      last_used_at: null,
      created_by: "internal secret",
      created_by_id: null,
      created_at,
      updated_at: created_at,
      revoked_at: null,
    });
  });

  it("A9 requires a name, and with the internal secret a project", async () => {
    const { id, api } = await world.project();
    const unnamed = await api.post("/v1/api-keys", {});
    expect([unnamed.status, unnamed.body.errors[0].location]).toEqual([422, "body.name"]);
    const nowhere = await world.admin.post("/v1/api-keys", { name: "x" });
    expect([nowhere.status, nowhere.body.code]).toEqual([422, "project_required"]);
    const other = await world.project();
    const foreign = await api.post("/v1/api-keys", { name: "x", project_id: other.id });
    expect([foreign.status, foreign.body.code]).toEqual([403, "project_mismatch"]);
    expect((await api.post("/v1/api-keys", { name: "x", project_id: id })).body.created_by).toBe("test key");
  });

  it.each([
    ["expires_in_days", 0, 422],
    ["expires_in_days", 1, 201],
    ["expires_in_days", 3650, 201],
    ["expires_in_days", 3651, 422],
    ["expires_in_days", 1.5, 422],
    ["expires_in_days", "7", 422],
    ["expires_in_days", null, 201],
    ["rotation_interval_days", 0, 422],
    ["rotation_interval_days", 1, 201],
    ["rotation_interval_days", 365, 201],
    ["rotation_interval_days", 366, 422],
    ["scopes", [], 422],
    ["scopes", ["jobs:read", "jobs:read"], 422],
    ["scopes", ["jobs:fly"], 422],
    ["scopes", ["*"], 201],
    ["scopes", null, 201],
    ["name", "", 422],
    ["name", "   ", 422],
    ["name", "n".repeat(200), 201],
    ["name", "n".repeat(201), 422],
    ["environment_id", NEVER, 422],
    ["environment_id", "nowhere", 422],
    ["org_id", "nobody", 422],
    ["extra", 1, 422],
  ])("A9 %s of %j is %s", async (field, value, status) => {
    const { api } = await world.project();
    const response = await api.post("/v1/api-keys", { name: "Bounds", [field]: value });
    expect(response.status).toBe(status);
    if (status === 422) expect(response.body.errors[0].location).toMatch(`body.${field}`);
  });

  it("A9 shows the secret once: it is nowhere in the database or in any later response", async () => {
    const { id, api } = await world.project();
    const created = await api.post("/v1/api-keys", { name: "Hidden" });
    const rotated = await api.post(`/v1/api-keys/${created.body.id}/rotate`, { grace_period_minutes: 5 });
    const responses = [
      await api.get(`/v1/api-keys/${created.body.id}`),
      await api.get("/v1/api-keys"),
      await world.admin.get(`/v1/api-keys?project_id=${id}`),
    ];
    const dump = Object.values(await dumpTables(world.connection)).join("\n");
    expect(dump).toContain(created.body.id);
    for (const { key } of [created.body, rotated.body]) {
      for (const form of [key, Buffer.from(key).toString("hex"), Buffer.from(key).toString("base64")]) {
        expect(dump.includes(form)).toBe(false);
      }
      for (const response of responses) expect(response.text).not.toContain(key.slice(12));
    }
  });

  it("records an audit event with actor, origin and the key's permissions", async () => {
    const { api, key_id } = await world.project();
    const created = await api.post("/v1/api-keys", { name: "Audited" }, { headers: { "x-request-id": "my-own-id" } });
    const [event] = await runSql(world.connection, "select * from audit_events where resource_id = $1", [
      created.body.id,
    ]);
    expect(event).toMatchObject({
      action: "api_key.created",
      actor_kind: "api_key",
      actor_id: key_id,
      actor_name: "test key",
      before: null,
      after: { id: created.body.id, name: "Audited", key_prefix: created.body.key_prefix },
      ip: "127.0.0.1",
      request_id: "my-own-id",
    });
  });
});

describe("GET /v1/api-keys", () => {
  it("O6 lists the project's keys in pages, newest first", async () => {
    const { api, newKey } = await world.project();
    await newKey({ name: "second" });
    await newKey({ name: "third" });
    const page = await api.get("/v1/api-keys?limit=2");
    expect([namesOf(page), page.body.has_more]).toEqual([["third", "second"], true]);
    const rest = await api.get(`/v1/api-keys?limit=2&cursor=${page.body.next_cursor}`);
    expect([namesOf(rest), rest.body.has_more]).toEqual([["test key"], false]);
    const other = await api.get(`/v1/api-keys?limit=2&status=active&cursor=${page.body.next_cursor}`);
    expect([other.status, other.body.code]).toEqual([400, "invalid_cursor"]);
  });

  it("filters by status", async () => {
    const { id, api, newKey } = await world.project();
    const [revoked, expired] = [await newKey({ name: "revoked" }), await newKey({ name: "expired" })];
    await api.delete(`/v1/api-keys/${revoked.id}`);
    await runSql(world.connection, "update api_keys set expires_at = clock() where id = $1", [expired.id]);
    expect(namesOf(await api.get("/v1/api-keys?status=revoked"))).toEqual(["revoked"]);
    expect(namesOf(await api.get("/v1/api-keys?status=expired"))).toEqual(["expired"]);
    expect(namesOf(await api.get("/v1/api-keys?status=active"))).toEqual(["test key"]);
    expect((await api.get("/v1/api-keys?status=asleep")).status).toBe(422);
    expect(namesOf(await world.admin.get(`/v1/api-keys?project_id=${id}`))).toHaveLength(3);
  });

  it("A2 shows a key bound to an environment only the keys of that environment", async () => {
    const { api, newKey } = await world.project();
    const [one, two] = (await api.get("/v1/environments")).body.data;
    const mine = await newKey({ name: "mine", environment_id: one.id });
    const theirs = await newKey({ name: "theirs", environment_id: two.id });
    expect(namesOf(await mine.api.get("/v1/api-keys"))).toEqual(["mine"]);
    expect((await mine.api.get(`/v1/api-keys/${theirs.id}`)).status).toBe(404);
    expect((await mine.api.delete(`/v1/api-keys/${theirs.id}`)).status).toBe(404);
    expect((await mine.api.post(`/v1/api-keys/${theirs.id}/rotate`)).status).toBe(404);
  });
});

describe("GET /v1/api-keys/{keyID}", () => {
  it("returns the key without its secret; the internal secret needs only the id", async () => {
    const { id: project_id, api, key_id } = await world.project();
    const response = await api.get(`/v1/api-keys/${key_id}`);
    expect([response.status, response.body.id, response.body.status]).toEqual([200, key_id, "active"]);
    expect(response.body).not.toHaveProperty("key");
    expect((await world.admin.get(`/v1/api-keys/${key_id}`)).body.project_id).toBe(project_id);
  });

  it("404 with the same message for a key of another project, an unknown id and a malformed one", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    for (const id of [other.key_id, NEVER, "nonsense"]) {
      const response = await mine.api.get(`/v1/api-keys/${id}`);
      expect([id, response.status, response.body.detail]).toEqual([id, 404, "There is no such API key."]);
      expect((await world.admin.get(`/v1/api-keys/${id}?project_id=${mine.id}`)).status).toBe(404);
    }
  });
});
