import { namedSchemas } from "@millrace/contract/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { TEST_SCHEMA } from "../../../test/edge-routes.ts";
import { makeWorld, type World } from "../../../test/world.ts";
import { allRoutes } from "../../api/all-routes.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const NOT_SERVED = [
  "package.json",
  "..%2f..%2fpackage.json",
  "..%2F..%2F..%2F..%2Fetc%2Fpasswd",
  "%2e%2e%2f%2e%2e%2fmigrations%2f0001_clock_and_service.sql",
  "..%5c..%5cpackage.json",
  "%2fetc%2fpasswd",
  "start.js%00.css",
  "swagger-initializer.js",
  "START.JS",
  "constructor",
  "__proto__",
  "toString",
];

async function expectNothingElse(folder: string): Promise<void> {
  for (const file of NOT_SERVED) {
    const { status, text } = await world.anonymous.get(`${folder}/${file}`);
    expect([file, [400, 404].includes(status)]).toEqual([file, true]);
    expect(text).not.toMatch(/root:|dependencies|ENOENT|create function/);
  }
}

describe("GET /openapi.json", () => {
  it("O8 is an OpenAPI 3.1 document with every schema of the contract", async () => {
    const { status, headers, body } = await world.anonymous.get("/openapi.json");
    expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect(body.openapi).toMatch(/^3\.1\./);
    expect(body.paths["/v1/api-keys/{keyID}/rotate"].post.summary).toBeTypeOf("string");
    expect(Object.keys(body.components.schemas)).toEqual(
      expect.arrayContaining([...namedSchemas.keys()].filter((name) => !name.startsWith(TEST_SCHEMA))),
    );
  });
});

describe("GET /llms.txt", () => {
  it("O8 summarizes the interface and lists every path", async () => {
    const { status, headers, text } = await world.anonymous.get("/llms.txt");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(text).toMatch(/^# Millrace\n\n> /);
    expect(text).toContain(`${world.url}/openapi.json`);
    const listed = [...text.matchAll(/^- `([A-Z]+ \S+)`: \S/gm)].map((match) => match[1]);
    const rows = allRoutes.filter(({ path }) => /^\/(sdk\/)?v1\//.test(path));
    expect(listed.toSorted()).toEqual(rows.map(({ method, path }) => `${method} ${path}`).toSorted());
  });
});

describe("GET /docs", () => {
  it("O8 is a page that loads its assets only from this origin", async () => {
    const { status, headers, text } = await world.anonymous.get("/docs");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*script-src 'self'/);
    const parts = [...text.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      const url = new URL(part, `${world.url}/docs`);
      const response = await world.anonymous.get(url.pathname);
      expect([part, url.origin, response.status]).toEqual([part, world.url, 200]);
    }
  });
});

describe("GET /docs/js/{file}", () => {
  it("serves the viewer and its start script as scripts", async () => {
    for (const file of ["start.js", "swagger-ui-bundle.js"]) {
      const { status, headers, text } = await world.anonymous.get(`/docs/js/${file}`);
      expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
      expect([headers.get("x-content-type-options"), text.length > 100]).toEqual(["nosniff", true]);
    }
  });

  it("serves no other file from inside or outside the folders", () => expectNothingElse("/docs/js"));
});

describe("GET /docs/css/{file}", () => {
  it("serves the viewer's style sheet", async () => {
    const { status, headers } = await world.anonymous.get("/docs/css/swagger-ui.css");
    expect([status, headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
    expect((await world.anonymous.get("/docs/css/start.js")).status).toBe(404);
  });

  it("serves no other file from inside or outside the folders", () => expectNothingElse("/docs/css"));
});
