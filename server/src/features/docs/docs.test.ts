import { ERROR_CODES } from "@millrace/contract/error-codes/all-codes";
import { namedSchemas } from "@millrace/contract/schema/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { buildDocs } from "../../../../tools/build-docs.mjs";
import { TEST_SCHEMA } from "../../../test/requests/edge-routes.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { allRoutes } from "../../api/all-routes.ts";

let world: World;
beforeAll(async () => {
  [world] = await Promise.all([makeWorld(), buildDocs()]);
});

const NOT_SERVED = [
  "package.json",
  "..%2f..%2fpackage.json",
  "..%2F..%2F..%2F..%2Fetc%2Fpasswd",
  "%2e%2e%2f%2e%2e%2fmigrations%2f0001_clock_and_service.sql",
  "..%5c..%5cpackage.json",
  "%2fetc%2fpasswd",
  "site.js%00.css",
  "SITE.JS",
  "pages.json",
  "not-built.html",
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
    expect(text).toContain(`(${world.url}/docs/reference/sdk.md): `);
    expect(listed.toSorted()).toEqual(rows.map(({ method, path }) => `${method} ${path}`).toSorted());
  });
});

describe("GET /llms-full.txt", () => {
  it("O8 has the text of the pages", async () => {
    const { status, headers, text } = await world.anonymous.get("/llms-full.txt");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(text).toContain("<!-- /docs/reference/sdk -->");
    expect(text).toContain("# Command-line reference");
  });
});

const PAGE = "text/html; charset=utf-8";

describe("GET /docs", () => {
  it("O8 is a page without inline scripts that loads its assets only from this origin", async () => {
    const { status, headers, text } = await world.anonymous.get("/docs");
    expect([status, headers.get("content-type")]).toEqual([200, PAGE]);
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*script-src 'self'/);
    expect(text).not.toMatch(/<script(?![^>]+src=)|<style|\sstyle=|<[^>]+\son\w+=/);
    const parts = [...text.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      const url = new URL(part, `${world.url}/docs`);
      const response = await world.anonymous.get(url.pathname);
      expect([part, url.origin, response.status]).toEqual([part, world.url, 200]);
    }
  });
});

describe("GET /docs/{page}", () => {
  it("O8 has the API reference, whose pages have every operation", async () => {
    const { status, headers, text } = await world.anonymous.get("/docs/api");
    expect([status, headers.get("content-type")]).toEqual([200, PAGE]);
    const missing = allRoutes.filter(({ path }) => !text.includes(`<code>${path}</code>`));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it("is the start page for an empty name, and Markdown with its ending", async () => {
    expect((await world.anonymous.get("/docs/")).text).toBe((await world.anonymous.get("/docs")).text);
    const { headers, text } = await world.anonymous.get("/docs/requirements.md");
    expect([headers.get("content-type"), text.startsWith("# ")]).toEqual(["text/markdown; charset=utf-8", true]);
  });

  it("serves no other file from inside or outside the folder", () => expectNothingElse("/docs"));
});

describe("GET /docs/{section}/{page}", () => {
  it("is a page as HTML or Markdown", async () => {
    const page = await world.anonymous.get("/docs/reference/runs");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, PAGE]);
    const source = await world.anonymous.get("/docs/reference/runs.md");
    expect([source.status, source.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
  });

  it("has a page for every error code, and one for every tag of the API with its operations", async () => {
    for (const code of Object.keys(ERROR_CODES)) {
      expect([code, (await world.anonymous.get(`/docs/errors/${code}`)).status]).toEqual([code, 200]);
    }
    const { text } = await world.anonymous.get("/docs/api/jobs");
    expect(text).toContain('<section class="operation" id="postV1JobsJobIDTrigger">');
    expect(text).toContain("jobs:trigger");
  });

  it("serves no other file from inside or outside the folder", async () => {
    await expectNothingElse("/docs/reference");
    await expectNothingElse("/docs/..%2f..");
    await expectNothingElse("/docs/requirements.md");
  });

  it("is a page with the status 404 for a browser that asks for a page that does not exist", async () => {
    const headers = { accept: "text/html,*/*;q=0.8" };
    for (const path of ["/docs/nothing", "/docs/guides/nothing", "/docs/guides/nothing/at-all"]) {
      const response = await fetch(`${world.url}${path}`, { headers });
      expect([path, response.status, response.headers.get("content-type")]).toEqual([path, 404, PAGE]);
      expect(await response.text()).toContain("<h1>This page does not exist</h1>");
    }
    const { status, headers: sent } = await world.anonymous.get("/docs/guides/nothing");
    expect([status, sent.get("content-type")]).toEqual([404, "application/problem+json"]);
    expect((await fetch(`${world.url}/docs/js/nothing.js`, { headers })).headers.get("content-type")).toBe(
      "application/problem+json",
    );
  });

  it("lets browsers keep assets for a few minutes, and pages not at all", async () => {
    const cacheOf = async (path: string) => (await world.anonymous.get(path)).headers.get("cache-control");
    for (const path of ["/docs/css/site.css", "/docs/js/site.js", "/docs/images/home-light.png", "/docs/search.json"])
      expect([path, await cacheOf(path)]).toEqual([path, "public, max-age=300"]);
    for (const path of ["/docs", "/docs/reference/runs", "/docs/reference/runs.md"])
      expect([path, await cacheOf(path)]).toEqual([path, "no-store"]);
  });
});

describe("GET /docs/search.json", () => {
  it("has every page with its headings", async () => {
    const { status, headers, body } = await world.anonymous.get("/docs/search.json");
    expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    const paths = body.pages.map(([path]: [string]) => path);
    expect(paths).toEqual(expect.arrayContaining(["reference/runs", "api/runs", "errors/not_found"]));
    expect(body.entries.length).toBeGreaterThan(paths.length);
  });
});

describe("GET /docs/js/{file}", () => {
  it("serves the scripts", async () => {
    for (const file of ["site.js", "theme.js"]) {
      const { status, headers, text } = await world.anonymous.get(`/docs/js/${file}`);
      expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
      expect([headers.get("x-content-type-options"), text.length > 100]).toEqual(["nosniff", true]);
    }
  });

  it("serves no other file from inside or outside the folder", () => expectNothingElse("/docs/js"));
});

describe("GET /docs/css/{file}", () => {
  it("serves the style sheets", async () => {
    for (const file of ["site.css", "tokens.css"]) {
      const { status, headers } = await world.anonymous.get(`/docs/css/${file}`);
      expect([status, headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
    }
    expect((await world.anonymous.get("/docs/css/site.js")).status).toBe(404);
  });

  it("serves no other file from inside or outside the folder", () => expectNothingElse("/docs/css"));
});

describe("GET /docs/images/{file}", () => {
  it("serves the images", async () => {
    const response = await fetch(`${world.url}/docs/images/home-light.png`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(new TextDecoder("latin1").decode((await response.arrayBuffer()).slice(1, 4))).toBe("PNG");
  });

  it("serves no other file from inside or outside the folder", () => expectNothingElse("/docs/images"));
});
