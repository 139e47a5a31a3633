import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

const VIEWS = "/v1/saved-views";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const save = (fields: object = {}, api = project.api) =>
  api.post(VIEWS, { name: "Failed today", resource: "runs", query: { status: "failed", q: "tag:eu" }, ...fields });

describe("POST /v1/saved-views", () => {
  it("P1 stores a list's filters under a name", async () => {
    const { status, body } = await save();
    expect(status).toBe(201);
    expect(body).toEqual({
      $schema: `${world.url}/schemas/SavedView.json`,
      id: expect.any(String),
      project_id: project.id,
      name: "Failed today",
      resource: "runs",
      query: { status: "failed", q: "tag:eu" },
      created_by: "test key",
      created_by_id: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await save({ query: undefined })).body.query).toEqual({});
  });

  it.each([
    [{ name: "" }, "body.name"],
    [{ name: undefined }, "body.name"],
    [{ resource: "secrets" }, "body.resource"],
    [{ query: { status: ["failed"] } }, "body.query.status"],
    [{ query: "status=failed" }, "body.query"],
    [{ shade: "red" }, "body.shade"],
  ])("O3 rejects %j with its location", async (fields, location) => {
    const { status, body } = await save(fields);
    expect([status, body.errors[0].location]).toEqual([422, location]);
  });

  it("O3 rejects more than 500 in a project, even with concurrent requests", async () => {
    const full = await world.project();
    await runSql(
      world.connection,
      `insert into saved_views (project_id, id, name, resource, query, created_by, created_at, updated_at)
       select $1, gen_random_uuid(), 'View', 'runs', '{}', 'seed', clock(), clock() from generate_series(1, 498)`,
      [full.id],
    );
    const responses = await Promise.all(Array.from({ length: 8 }, () => save({}, full.api)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409, 409, 409, 409]);
  });
});

describe("GET /v1/saved-views", () => {
  it("O6 lists the newest first, filtered by list and by creator", async () => {
    const own = await world.project();
    const other = await own.newKey({ name: "another key" });
    const ids: string[] = [];
    for (const [resource, api] of [
      ["runs", own.api],
      ["logs", own.api],
      ["runs", other.api],
    ] as const)
      ids.push((await save({ resource }, api)).body.id);
    const listed = async (query: string) =>
      (await own.api.get(`${VIEWS}${query}`)).body.data.map(({ id }: { id: string }) => ids.indexOf(id));
    expect(await listed("")).toEqual([2, 1, 0]);
    expect(await listed("?resource=runs")).toEqual([2, 0]);
    expect(await listed("?created_by=another%20key")).toEqual([2]);
    expect(await listed("?resource=logs&created_by=another%20key")).toEqual([]);
  });
});

describe("GET /v1/saved-views/{viewID}", () => {
  it("P1 returns a view to every caller with analytics access, and 404 in another project", async () => {
    const { id } = (await save()).body;
    const reader = await project.newKey({ scopes: ["analytics:read"] });
    expect((await reader.api.get(`${VIEWS}/${id}`)).body.id).toBe(id);
    expect((await reader.api.delete(`${VIEWS}/${id}`)).status).toBe(403);
    expect((await (await world.project()).api.get(`${VIEWS}/${id}`)).status).toBe(404);
    expect((await project.api.get(`${VIEWS}/none`)).status).toBe(404);
  });

  it("A2 is hidden from a key bound to one environment", async () => {
    const { id } = (await save()).body;
    const environment_id = (await project.api.get("/v1/environments/staging")).body.id;
    const { api } = await project.newKey({ environment_id });
    const responses = [
      await save({}, api),
      await api.get(VIEWS),
      await api.get(`${VIEWS}/${id}`),
      await api.patch(`${VIEWS}/${id}`, { name: "Mine" }),
      await api.delete(`${VIEWS}/${id}`),
    ];
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });
});

describe("PATCH /v1/saved-views/{viewID}", () => {
  it("P1 replaces the name or the whole query; an identical update changes nothing", async () => {
    const { id, created_at } = (await save()).body;
    await world.clock.pass("1s");
    const { body } = await project.api.patch(`${VIEWS}/${id}`, { query: { tag: "eu" } });
    expect([body.name, body.query, body.created_at]).toEqual(["Failed today", { tag: "eu" }, created_at]);
    expect(body.updated_at > created_at).toBe(true);
    expect((await project.api.patch(`${VIEWS}/${id}`, body)).body).toEqual(body);
    expect((await project.api.patch(`${VIEWS}/${id}`, { resource: "logs" })).body.code).toBe("read_only_field");
    expect((await project.api.get(`${VIEWS}/${id}`)).body).toEqual(body);
  });
});

describe("DELETE /v1/saved-views/{viewID}", () => {
  it("P1 deletes it permanently", async () => {
    const { id } = (await save()).body;
    expect((await project.api.delete(`${VIEWS}/${id}`)).status).toBe(204);
    expect((await project.api.get(`${VIEWS}/${id}`)).status).toBe(404);
    expect((await project.api.delete(`${VIEWS}/${id}`)).status).toBe(404);
  });
});
