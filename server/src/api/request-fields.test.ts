import { beforeAll, describe, expect, it } from "vitest";
import { edgeRoutes } from "../../test/requests/edge-routes.ts";
import { makeWorld, type TestProject, type World } from "../../test/world/world.ts";

const KEYS = "/v1/test/keys";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld({ routes: edgeRoutes });
  project = await world.project();
});

describe("path parameters", () => {
  it("have up to 6,144 characters, an event key of 512 code points percent-encoded, and not one more", async () => {
    const widest = "\u{1f600}".repeat(512);
    expect(encodeURIComponent(widest)).toHaveLength(6_144);
    const response = await world.anonymous.get(`${KEYS}/${encodeURIComponent(widest)}`);
    expect([response.status, response.body.payload]).toEqual([200, widest]);
    expect((await world.anonymous.get(`${KEYS}/${"x".repeat(6_144)}`)).status).toBe(200);
    const refused = await world.anonymous.get(`${KEYS}/${"x".repeat(6_145)}`);
    expect([refused.status, refused.body.code]).toEqual([414, "uri_too_long"]);
  });

  it.each([
    ["a%2Fb", "a/b"],
    ["%252F", "%2F"],
    ["a+b", "a+b"],
    ["%C3%A9", "é"],
    ["__proto__", "__proto__"],
    ["a;b=c", "a;b=c"],
  ])("are percent-decoded once: %s is %s", async (sent, meant) => {
    expect((await world.anonymous.get(`${KEYS}/${sent}`)).body.payload).toBe(meant);
  });

  it.each([`${KEYS}/a%00b`, "/v1/projects/%00", "/schemas/%00", "/docs/js/%00"])(
    "never contain U+0000: %s",
    async (path) => {
      const response = await world.admin.get(path);
      expect([response.status, response.body.code]).toEqual([400, "invalid_text"]);
      expect(response.body.errors[0].location).toMatch(/^path\./);
    },
  );

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty", "..%2Fpackage.json", "%2e%2e%2fpackage.json"])(
    "name nothing that every object has, and no file elsewhere: %s",
    async (name) => {
      for (const folder of [
        "/docs",
        "/docs/js",
        "/docs/css",
        "/schemas",
        "/v1/projects",
        "/v1/api-keys",
        "/v1/environments",
      ]) {
        const response = await project.api.get(`${folder}/${name}`);
        expect(response.status, folder).toBe(404);
        expect((await project.api.get(`${folder}/${name}.json`)).status, folder).toBe(404);
      }
    },
  );
});

describe("query parameters", () => {
  it.each([
    ["?limt=1", "query.limt", "1"],
    ["?limit=1&limit=2", "query.limit", ["1", "2"]],
    ["?limit=abc", "query.limit", "abc"],
    ["?limit=1.5", "query.limit", 1.5],
    ["?limit=1e400", "query.limit", "1e400"],
    ["?limit=Infinity", "query.limit", "Infinity"],
    ["?limit=0x10", "query.limit", "0x10"],
    ["?limit=%205", "query.limit", " 5"],
    ["?limit=", "query.limit", ""],
    ["?order=up", "query.order", "up"],
    ["?project_id=a&project_id=b", "query.project_id", ["a", "b"]],
    ["?__proto__=1", "query.__proto__", "1"],
    ["?constructor=1", "query.constructor", "1"],
    ["?a%20b=1", 'query["a b"]', "1"],
  ])("that are unknown or invalid are 422 with their location: %s", async (query, location, value) => {
    const response = await project.api.get(`/v1/environments${query}`);
    expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
    expect(response.body.errors[0].location).toBe(location);
    expect(response.body.errors[0].value).toEqual(value);
  });

  it.each(["?cursor=%00", "?%00=1", "?project_id=a%00"])("never contain U+0000: %s", async (query) => {
    const response = await project.api.get(`/v1/environments${query}`);
    expect([response.status, response.body.code]).toEqual([400, "invalid_text"]);
  });

  it.each(["?limit=%", "?cursor=%zz", "?%", "?&&&=", "?limit=1%ff"])(
    "that cannot be decoded are 4xx: %s",
    async (query) => {
      const { status } = await project.api.get(`/v1/environments${query}`);
      expect(status === 200 || (status >= 400 && status < 500)).toBe(true);
    },
  );
});

describe("issues in a body", () => {
  it("O3 are reported together, each with its location", async () => {
    const body = { nome: "x", slug: "Not A Slug", compute_rate_microusd_per_sec: "20", description: 5 };
    const response = await world.admin.post("/v1/projects", body);
    expect(response.body.errors.map((issue: { location: string }) => issue.location).toSorted()).toEqual([
      "body.compute_rate_microusd_per_sec",
      "body.description",
      "body.name",
      "body.nome",
      "body.slug",
    ]);
    expect(response.body.detail).toContain("(and 4 more)");
  });

  it("O3 show the value sent, shortened", async () => {
    const big = { name: "x".repeat(100_000), slug: "y".repeat(500), description: { big: "z".repeat(1_000) } };
    const response = await world.admin.post("/v1/projects", big);
    expect(response.status).toBe(422);
    expect(response.text.length).toBeLessThan(3_000);
    const many = { name: "x", project_id: project.id, scopes: Array.from({ length: 20_000 }, (_, i) => `scope-${i}`) };
    const refused = await world.admin.post("/v1/api-keys", many);
    expect([refused.status, refused.body.errors.length <= 50]).toEqual([422, true]);
    expect(refused.text.length).toBeLessThan(100_000);
  });

  it.each(["urn:uuid:0190a5b4-0000-7000-8000-000000000000", "0190A5B4-0000-7000-8000-000000000000", "x", "", 5])(
    "O3 an id is a lower-case UUID and nothing else: %j",
    async (id) => {
      const key = await project.api.post("/v1/api-keys", { name: "Bound", environment_id: id });
      expect([key.status, key.body.errors[0].location]).toEqual([422, "body.environment_id"]);
      const environment = await project.api.post("/v1/environments", { name: "Child", parent_id: id });
      expect([environment.status, environment.body.errors[0].location]).toEqual([422, "body.parent_id"]);
    },
  );
});
