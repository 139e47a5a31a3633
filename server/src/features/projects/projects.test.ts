import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MILLISECONDS_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const idsOf = (response: { body: { data: { id: string }[] } }) => response.body.data.map((each) => each.id);

describe("POST /v1/projects", () => {
  it("P1 creates a project with its standard environments", async () => {
    const created = await world.admin.post("/v1/projects", { name: "Été à la plage" });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      $schema: `${world.url}/schemas/CreatedProject.json`,
      id: expect.stringMatching(UUID_V7),
      org_id: null,
      slug: "ete-a-la-plage",
      name: "Été à la plage",
      description: null,
      max_active_event_triggers: null,
      compute_rate_microusd_per_sec: 20,
      created_at: expect.stringMatching(MILLISECONDS_UTC),
      updated_at: created.body.created_at,
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const environments = await world.admin.get(`/v1/environments?project_id=${created.body.id}&order=asc`);
    expect(environments.body.data.map((each: { slug: string }) => each.slug)).toEqual([
      "production",
      "staging",
      "development",
    ]);
  });

  it("stores every given field", async () => {
    const fields = {
      name: "All",
      slug: "all-fields",
      org_id: "acme",
      description: "d",
      max_active_event_triggers: 7,
      compute_rate_microusd_per_sec: 0,
    };
    const created = await world.admin.post("/v1/projects", fields);
    expect(created.body).toMatchObject(fields);
  });

  it("409 when the requested slug is taken; a slug derived from the name is adjusted", async () => {
    await world.admin.post("/v1/projects", { name: "Taken", slug: "taken" });
    const requested = await world.admin.post("/v1/projects", { name: "Other", slug: "taken" });
    expect([requested.status, requested.body.code]).toEqual([409, "slug_taken"]);
    expect(requested.body.errors).toEqual([{ location: "body.slug", message: "is taken", value: "taken" }]);
    const made = await world.admin.post("/v1/projects", { name: "Taken" });
    expect([made.status, made.body.slug]).toEqual([201, expect.stringMatching(/^taken-[0-9a-f]{6}$/)]);
  });

  it("gives each of ten concurrent projects with the same name its own slug", async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => world.admin.post("/v1/projects", { name: "Crowd" })),
    );
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([201]));
    expect(new Set(responses.map((response) => response.body.slug)).size).toBe(10);
  });

  it("422 for a slug that looks like an id", async () => {
    const slug = "0190a1b2-0000-7000-8000-000000000000";
    const response = await world.admin.post("/v1/projects", { name: "Id", slug });
    expect([response.status, response.body.errors[0].location]).toEqual([422, "body.slug"]);
  });

  it("A2 403 for an API key, 401 without a credential", async () => {
    const { api } = await world.project();
    const byKey = await api.post("/v1/projects", { name: "Mine" });
    expect([byKey.status, byKey.body.code]).toEqual([403, "forbidden"]);
    expect((await world.anonymous.post("/v1/projects", { name: "Mine" })).status).toBe(401);
  });
});

describe("GET /v1/projects/{projectID}", () => {
  it("finds it by id and by slug", async () => {
    const { id, slug, api } = await world.project();
    const byId = await api.get(`/v1/projects/${id}`);
    const bySlug = await api.get(`/v1/projects/${slug}`);
    expect([byId.status, byId.body.id, bySlug.body.id]).toEqual([200, id, id]);
    expect(byId.body).not.toHaveProperty("webhook_secret");
  });

  it("404 with the same message for another project, an unknown id and a malformed one", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const unknown = "0190a1b2-0000-7000-8000-000000000000";
    for (const ref of [other.id, other.slug, unknown, "no-such", "%20", "🦊"]) {
      const response = await mine.api.get(`/v1/projects/${ref}`);
      expect([ref, response.status, response.body.detail]).toEqual([ref, 404, "There is no such project."]);
    }
  });
});

describe("GET /v1/projects", () => {
  it("A2 shows a key its own project, a key of an org those of the org, and the internal secret all", async () => {
    const org_id = "list-org";
    const [plain, first, second] = [
      await world.project(),
      await world.project({ org_id }),
      await world.project({ org_id }),
    ];
    const orgKey = await first.newKey({ org_id });
    expect(idsOf(await plain.api.get("/v1/projects"))).toEqual([plain.id]);
    expect(idsOf(await first.api.get("/v1/projects"))).toEqual([first.id]);
    expect(idsOf(await orgKey.api.get("/v1/projects"))).toEqual([second.id, first.id]);
    expect(idsOf(await world.admin.get("/v1/projects?limit=100"))).toEqual(
      expect.arrayContaining([plain.id, first.id, second.id]),
    );
  });

  it("O6 pages without a gap or a repeat while projects are created", async () => {
    const org_id = "paged-org";
    const [a, b, c] = [
      await world.project({ org_id }),
      await world.project({ org_id }),
      await world.project({ org_id }),
    ];
    const { api } = await a.newKey({ org_id });
    const page = await api.get("/v1/projects?limit=2");
    expect([idsOf(page), page.body.has_more]).toEqual([[c.id, b.id], true]);
    await world.project({ org_id });
    const rest = await api.get(`/v1/projects?limit=2&cursor=${page.body.next_cursor}`);
    expect(rest.body).toMatchObject({ data: [{ id: a.id }], has_more: false, next_cursor: null });
  });

  it("hides the org from a key whose project left it", async () => {
    const [mover, stayer] = [await world.project({ org_id: "left" }), await world.project({ org_id: "left" })];
    const { api } = await mover.newKey({ org_id: "left" });
    expect(idsOf(await api.get("/v1/projects"))).toEqual([stayer.id, mover.id]);
    await world.admin.patch(`/v1/projects/${mover.id}`, { org_id: null });
    expect(idsOf(await api.get("/v1/projects"))).toEqual([mover.id]);
    expect((await api.get(`/v1/environments?project_id=${stayer.id}`)).status).toBe(403);
  });
});

describe("PATCH /v1/projects/{projectID}", () => {
  it("changes the given fields, keeps the rest, and is audited with before and after", async () => {
    const { id, api, key_id } = await world.project({ name: "Old", description: "kept" });
    const response = await api.patch(`/v1/projects/${id}`, { name: "New", max_active_event_triggers: 5 });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ name: "New", description: "kept", max_active_event_triggers: 5 });
    const [event] = await runSql(
      world.connection,
      "select * from audit_events where resource_id = $1 and action = 'project.updated'",
      [id],
    );
    expect(event).toMatchObject({
      actor_kind: "api_key",
      actor_id: key_id,
      before: { name: "Old" },
      after: { name: "New" },
      ip: "127.0.0.1",
      request_id: response.headers.get("x-request-id"),
    });
  });

  it("accepts the GET response, with a key and with the internal secret", async () => {
    const { id, api } = await world.project({ org_id: "round" });
    const { body } = await api.get(`/v1/projects/${id}`);
    const byKey = await api.patch(`/v1/projects/${id}`, { ...body, name: "Edited" });
    expect([byKey.status, byKey.body.name]).toEqual([200, "Edited"]);
    const byAdmin = await world.admin.patch(`/v1/projects/${id}`, { ...byKey.body, description: "too" });
    expect([byAdmin.status, byAdmin.body.description]).toEqual([200, "too"]);
  });

  it("422 when a read-only field is changed", async () => {
    const { id, api } = await world.project();
    const response = await api.patch(`/v1/projects/${id}`, { created_at: "2020-01-01T00:00:00.000Z" });
    expect([response.status, response.body.code]).toEqual([422, "read_only_field"]);
  });

  it("403 when a key moves the project to another org; the internal secret may", async () => {
    const { id, api } = await world.project();
    const response = await api.patch(`/v1/projects/${id}`, { org_id: "grab" });
    expect([response.status, response.body.code]).toEqual([403, "forbidden"]);
    expect((await world.admin.patch(`/v1/projects/${id}`, { org_id: "given" })).body.org_id).toBe("given");
  });

  it("409 for a taken slug, 422 for one that looks like an id", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const taken = await mine.api.patch(`/v1/projects/${mine.id}`, { slug: other.slug });
    expect([taken.status, taken.body.code]).toEqual([409, "slug_taken"]);
    expect((await mine.api.patch(`/v1/projects/${mine.id}`, { slug: other.id })).status).toBe(422);
  });

  it("A11 403 without projects:write", async () => {
    const { id, newKey } = await world.project();
    const { api } = await newKey({ scopes: ["projects:read"] });
    const response = await api.patch(`/v1/projects/${id}`, { name: "No" });
    expect([response.status, response.body.code]).toEqual([403, "scope_missing"]);
  });

  it("lets a key of the org read a sibling project and everything in it, and change nothing", async () => {
    const org_id = "siblings";
    const [mine, sibling] = [await world.project({ org_id }), await world.project({ org_id })];
    const { api } = await mine.newKey({ org_id });
    expect((await api.get(`/v1/projects/${sibling.id}`)).status).toBe(200);
    expect((await api.get(`/v1/environments?project_id=${sibling.slug}`)).body.data).toHaveLength(3);
    expect((await api.patch(`/v1/projects/${sibling.id}`, { name: "Taken over" })).status).toBe(404);
    expect((await api.post(`/v1/projects/${sibling.id}/webhook-secret/rotate`)).status).toBe(404);
    const created = await api.post("/v1/environments", { project_id: sibling.id, name: "Mine" });
    expect([created.status, created.body.code]).toEqual([403, "project_mismatch"]);
  });
});
