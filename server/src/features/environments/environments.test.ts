import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const slugsOf = (response: { body: { data: { slug: string }[] } }) => response.body.data.map((each) => each.slug);

describe("POST /v1/environments", () => {
  it("P2 returns every specified field", async () => {
    const { id: project_id, api } = await world.project();
    const created = await api.post("/v1/environments", { name: "Québec 1", variables: { REGION: "ca" } });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      $schema: `${world.url}/schemas/Environment.json`,
      id: expect.any(String),
      project_id,
      name: "Québec 1",
      slug: "quebec-1",
      is_standard: false,
      parent_id: null,
      variables: { REGION: "ca" },
      created_at: expect.stringMatching(/Z$/),
      updated_at: created.body.created_at,
    });
  });

  it("409 for a taken slug; a slug derived from the name is adjusted, and other projects do not conflict", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    await mine.api.post("/v1/environments", { name: "Preview" });
    const requested = await mine.api.post("/v1/environments", { name: "x", slug: "preview" });
    expect([requested.status, requested.body.code]).toEqual([409, "slug_taken"]);
    expect((await mine.api.post("/v1/environments", { name: "Preview" })).body.slug).toMatch(/^preview-[0-9a-f]{6}$/);
    expect((await other.api.post("/v1/environments", { name: "x", slug: "preview" })).status).toBe(201);
  });

  it.each([
    ["whose name begins with a digit", { "1A": "x" }, 'body.variables["1A"]'],
    ["whose name has a hyphen", { "A-B": "x" }, "body.variables.A-B"],
    ["that is a number", { A: 1 }, "body.variables.A"],
    ["that is null", { A: null }, "body.variables.A"],
    ["of more than 32,768 characters", { A: "x".repeat(32_769) }, "body.variables.A"],
  ])("422 for a variable %s", async (_, variables, location) => {
    const { api } = await world.project();
    const response = await api.post("/v1/environments", { name: "Bad", variables });
    expect(response.status).toBe(422);
    expect(response.body.errors.map((each: { location: string }) => each.location)).toContain(location);
  });

  it("422 for a parent of another project", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const foreign = (await other.api.get("/v1/environments")).body.data[0].id;
    const response = await mine.api.post("/v1/environments", { name: "Child", parent_id: foreign });
    expect([response.status, response.body.errors[0].location]).toEqual([422, "body.parent_id"]);
  });

  it("A1 422 when the internal secret names no project; query, header and body can each name it", async () => {
    const { id, slug } = await world.project();
    const missing = await world.admin.post("/v1/environments", { name: "Where" });
    expect([missing.status, missing.body.code]).toEqual([422, "project_required"]);
    const responses = [
      await world.admin.post(`/v1/environments?project_id=${slug}`, { name: "a" }),
      await world.admin.post("/v1/environments", { name: "b" }, { headers: { "x-project-id": id } }),
      await world.admin.post("/v1/environments", { name: "c", project_id: id }),
    ];
    expect(responses.map((response) => [response.status, response.body.project_id])).toEqual(
      responses.map(() => [201, id]),
    );
  });

  it("A11 403 without environments:write", async () => {
    const { newKey } = await world.project();
    const { api } = await newKey({ scopes: ["environments:read"] });
    expect((await api.post("/v1/environments", { name: "No" })).body.code).toBe("scope_missing");
  });

  it("is audited with the names of its variables, without their values", async () => {
    const { api, key_id } = await world.project();
    const created = await api.post("/v1/environments", { name: "Audited", variables: { TOKEN: "hush-hush" } });
    const [event] = await runSql(world.connection, "select * from audit_events where resource_id = $1", [
      created.body.id,
    ]);
    expect(event).toMatchObject({
      action: "environment.created",
      actor_id: key_id,
      before: null,
      after: { name: "Audited", variables: { TOKEN: "[redacted]" } },
      request_id: created.headers.get("x-request-id"),
    });
    expect(JSON.stringify(event)).not.toContain("hush-hush");
  });
});

describe("GET /v1/environments", () => {
  it("O6 lists the environments of the project, newest or oldest first, in pages", async () => {
    const { api } = await world.project();
    expect(slugsOf(await api.get("/v1/environments"))).toEqual(["development", "staging", "production"]);
    const first = await api.get("/v1/environments?order=asc&limit=2");
    expect([slugsOf(first), first.body.has_more]).toEqual([["production", "staging"], true]);
    const second = await api.get(`/v1/environments?order=asc&limit=2&cursor=${first.body.next_cursor}`);
    expect([slugsOf(second), second.body.has_more]).toEqual([["development"], false]);
  });

  it("400 for a cursor of the other order or of another project", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const { next_cursor } = (await mine.api.get("/v1/environments?order=asc&limit=1")).body;
    for (const response of [
      await mine.api.get(`/v1/environments?order=desc&limit=1&cursor=${next_cursor}`),
      await other.api.get(`/v1/environments?order=asc&limit=1&cursor=${next_cursor}`),
      await mine.api.get("/v1/environments?cursor=made-up"),
    ]) {
      expect([response.status, response.body.code]).toEqual([400, "invalid_cursor"]);
    }
  });
});

describe("GET /v1/environments/{envID}", () => {
  it("finds it by id and by slug; with the internal secret by id only", async () => {
    const { id: project_id, api } = await world.project();
    const bySlug = await api.get("/v1/environments/production");
    expect([bySlug.status, bySlug.body.is_standard, bySlug.body.resolved_variables]).toEqual([200, true, {}]);
    const { id } = bySlug.body;
    expect((await api.get(`/v1/environments/${id}`)).body).toEqual(bySlug.body);
    expect((await world.admin.get(`/v1/environments/${id}`)).body.project_id).toBe(project_id);
    expect((await world.admin.get("/v1/environments/production")).body.code).toBe("project_required");
    expect((await world.admin.get(`/v1/environments/production?project_id=${project_id}`)).body.id).toBe(id);
  });

  it("404 for one of another project, even if the request names that project", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const { id } = (await other.api.get("/v1/environments/staging")).body;
    expect((await mine.api.get(`/v1/environments/${id}`)).status).toBe(404);
    expect((await world.admin.get(`/v1/environments/${id}?project_id=${mine.id}`)).status).toBe(404);
  });
});

describe("PATCH /v1/environments/{envID}", () => {
  it("P2 changes name, slug, parent and variables, and returns every specified field", async () => {
    const { id: project_id, api } = await world.project();
    const { id: parent_id } = (await api.get("/v1/environments/staging")).body;
    const { body: before } = await api.post("/v1/environments", { name: "Old", variables: { A: "1", B: "2" } });
    const after = await api.patch(`/v1/environments/${before.slug}`, {
      name: "New",
      slug: "brand-new",
      parent_id,
      variables: { C: "3" },
    });
    expect(after.status).toBe(200);
    expect(after.body).toMatchObject({
      id: before.id,
      project_id,
      name: "New",
      slug: "brand-new",
      is_standard: false,
      parent_id,
      variables: { C: "3" },
      created_at: before.created_at,
    });
    expect(after.body.updated_at >= before.updated_at).toBe(true);
    expect((await api.patch("/v1/environments/brand-new", { parent_id: null })).body.parent_id).toBeNull();
  });

  it("accepts the parent by its slug on creation and update: the id is stored, and the current parent's slug is no change", async () => {
    const { api } = await world.project();
    const { id: staging } = (await api.get("/v1/environments/staging")).body;
    const { body: base } = await api.post("/v1/environments", { name: "Base", slug: "base" });
    const { status, body } = await api.post("/v1/environments", { name: "Child", slug: "child", parent_id: "base" });
    expect([status, body.parent_id]).toEqual([201, base.id]);
    const moved = await api.patch("/v1/environments/child", { parent_id: "staging" });
    expect([moved.status, moved.body.parent_id]).toEqual([200, staging]);
    await world.clock.pass("1m");
    expect((await api.patch("/v1/environments/child", { parent_id: "staging" })).body).toEqual(moved.body);
    for (const [parent_id, code] of [
      ["nowhere", "validation_failed"],
      ["child", "environment_cycle"],
    ] as const) {
      const refused = await api.patch("/v1/environments/child", { parent_id });
      expect([refused.status, refused.body.code]).toEqual([422, code]);
      expect(refused.body.errors).toMatchObject([{ location: "body.parent_id", value: parent_id }]);
    }
  });

  it("replaces all variables, and keeps them when they are omitted", async () => {
    const { api } = await world.project();
    const { id } = (await api.post("/v1/environments", { name: "Vars", variables: { A: "1" } })).body;
    expect((await api.patch(`/v1/environments/${id}`, { name: "Same" })).body.variables).toEqual({ A: "1" });
    expect((await api.patch(`/v1/environments/${id}`, { variables: { B: "2" } })).body.variables).toEqual({ B: "2" });
    expect((await api.patch(`/v1/environments/${id}`, { variables: {} })).body.variables).toEqual({});
  });

  it("accepts the GET response with one field edited", async () => {
    const { api } = await world.project();
    const parent = (await api.post("/v1/environments", { name: "Parent", variables: { UP: "1" } })).body;
    const { id } = (await api.post("/v1/environments", { name: "Round", parent_id: parent.id })).body;
    const { body } = await api.get(`/v1/environments/${id}`);
    const edited = await api.patch(`/v1/environments/${id}`, { ...body, variables: { OWN: "2" } });
    expect([edited.status, edited.body.variables]).toEqual([200, { OWN: "2" }]);
    const changed = await api.patch(`/v1/environments/${id}`, { ...body, is_standard: true });
    expect([changed.status, changed.body.code]).toEqual([422, "read_only_field"]);
  });

  it("409 for a taken slug, 422 for one that looks like an id", async () => {
    const { api, id } = await world.project();
    const { slug } = (await api.post("/v1/environments", { name: "Mover" })).body;
    expect((await api.patch(`/v1/environments/${slug}`, { slug: "staging" })).body.code).toBe("slug_taken");
    expect((await api.patch(`/v1/environments/${slug}`, { slug: id })).status).toBe(422);
  });

  it("P2 lets a standard environment change its name and variables, but not its slug or parent", async () => {
    const { api } = await world.project();
    const { id: parent_id } = (await api.post("/v1/environments", { name: "Base" })).body;
    for (const change of [{ slug: "prod" }, { parent_id }]) {
      const response = await api.patch("/v1/environments/production", change);
      expect([response.status, response.body.code]).toEqual([409, "environment_is_standard"]);
    }
    const renamed = await api.patch("/v1/environments/production", {
      name: "Live",
      slug: "production",
      parent_id: null,
      variables: { A: "1" },
    });
    expect([renamed.status, renamed.body.name, renamed.body.variables]).toEqual([200, "Live", { A: "1" }]);
  });

  it("is audited with before and after", async () => {
    const { api } = await world.project();
    const { id } = (await api.post("/v1/environments", { name: "A", variables: { OLD: "old-value" } })).body;
    await api.patch(`/v1/environments/${id}`, { name: "B", variables: { NEW: "new-value" } });
    const [event] = await runSql(
      world.connection,
      "select before, after from audit_events where resource_id = $1 and action = 'environment.updated'",
      [id],
    );
    expect(event).toMatchObject({
      before: { name: "A", variables: { OLD: "[redacted]" } },
      after: { name: "B", variables: { NEW: "[redacted]" } },
    });
    expect(JSON.stringify(event)).not.toMatch(/old-value|new-value/);
  });
});

describe("a key bound to one environment", () => {
  it("A2 sees and changes only its own environment, and creates none", async () => {
    const { api, newKey } = await world.project();
    const { id: environment_id } = (await api.get("/v1/environments/staging")).body;
    const other = (await api.get("/v1/environments/production")).body.id;
    const bound = await newKey({ environment_id });

    expect(slugsOf(await bound.api.get("/v1/environments"))).toEqual(["staging"]);
    expect((await bound.api.get("/v1/environments/staging")).body.id).toBe(environment_id);
    expect((await bound.api.patch(`/v1/environments/${environment_id}`, { name: "Mine" })).status).toBe(200);
    for (const ref of [other, "production"]) {
      expect((await bound.api.get(`/v1/environments/${ref}`)).status).toBe(404);
      expect((await bound.api.patch(`/v1/environments/${ref}`, { name: "Theirs" })).status).toBe(404);
      expect((await bound.api.delete(`/v1/environments/${ref}`)).status).toBe(404);
    }
    const created = await bound.api.post("/v1/environments", { name: "More" });
    expect([created.status, created.body.code]).toEqual([403, "forbidden"]);
  });

  it("cannot inherit variables from an environment it does not see", async () => {
    const { api, newKey } = await world.project();
    const secret = (await api.post("/v1/environments", { name: "Secret", variables: { PASSWORD: "x" } })).body;
    const { id: environment_id } = (await api.post("/v1/environments", { name: "Own" })).body;
    const bound = await newKey({ environment_id });
    const response = await bound.api.patch(`/v1/environments/${environment_id}`, { parent_id: secret.id });
    expect([response.status, response.body.errors[0].location]).toEqual([422, "body.parent_id"]);
  });
});
