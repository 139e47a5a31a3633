import { beforeAll, describe, expect, it } from "vitest";
import { sendHttp } from "../../test/outside/http-request.ts";
import { readResponses, sendRaw } from "../../test/outside/raw-request.ts";
import { edgeRoutes } from "../../test/requests/edge-routes.ts";
import { eachOf } from "../../test/requests/walk-routes.ts";
import { isWholeSize } from "../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { allRoutes } from "./all-routes.ts";
import { SECURITY_HEADERS } from "./response/security-headers.ts";

const OWN_POLICY = ["/", "/docs"];

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld({ routes: edgeRoutes });
  project = await world.project();
});

async function schemaOf(url: string, headers: Record<string, string>): Promise<string> {
  const { status, body } = await sendHttp(url, { path: "/health", headers });
  expect(status).toBe(200);
  return JSON.parse(body).$schema;
}

describe("methods", () => {
  it("HEAD responds like GET, without the body", async () => {
    for (const path of ["/health", "/v1/me", "/v1/environments", "/docs"]) {
      const [get, head] = [await project.api.get(path), await project.api.send("HEAD", path)];
      expect([head.status, head.text], path).toEqual([get.status, ""]);
      expect(head.headers.get("content-length"), path).toBe(get.headers.get("content-length"));
    }
    expect((await world.anonymous.send("HEAD", "/v1/me")).status).toBe(401);
  });

  it("that a path does not support are 405 with the supported ones, regardless of the body", async () => {
    const paths = [...new Set(allRoutes.map((route) => route.path))];
    await eachOf([...paths.entries()], async ([nth, path]) => {
      const taken: string[] = allRoutes.filter((route) => route.path === path).map((route) => route.method);
      const others = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter((method) => !taken.includes(method));
      // The soak suite tries all of them on every path; here each path is tried with the next one.
      for (const method of isWholeSize() ? others : [others[nth % others.length] ?? ""]) {
        const body = method === "GET" ? undefined : "not JSON";
        const response = await world.anonymous.send(method, path.replaceAll(/[{}]/g, ""), body, {
          headers: { "content-type": "text/plain" },
        });
        expect([response.status, response.body.code], `${method} ${path}`).toEqual([405, "method_not_allowed"]);
        expect(response.headers.get("allow")?.split(", ")).toEqual(expect.arrayContaining(taken));
      }
    });
    expect(paths.length).toBeGreaterThanOrEqual(15);
  });

  it.each(["/v1/me?a=1", "/v1/%6de", "http://a/v1/me"])(
    "are 405 for every spelling of the path: %s",
    async (target) => {
      const [response] = readResponses(
        await sendRaw(world.url, `DELETE ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
      );
      expect(response?.status).toBe(405);
    },
  );

  it.each(["OPTIONS", "TRACE", "PROPFIND"])("%s of an unknown path is 404 or 405", async (method) => {
    const [response] = readResponses(
      await sendRaw(world.url, `${method} /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    );
    expect([404, 405]).toContain(response?.status);
  });
});

describe("headers of every response", () => {
  it("prevent content sniffing, framing and caching by browsers", async () => {
    const paths = [
      "/",
      "/health",
      "/docs",
      "/v1/me",
      "/v1/environments",
      "/nothing",
      "/%",
      "/openapi.json",
      "/metrics",
    ];
    for (const path of paths) {
      for (const method of ["GET", "HEAD", "OPTIONS", "DELETE"]) {
        const { headers } = await project.api.send(method, path);
        for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
          if (name === "content-security-policy" && OWN_POLICY.includes(path)) continue;
          expect(headers.get(name), `${method} ${path} ${name}`).toBe(value);
        }
        expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
        expect(headers.get("x-powered-by")).toBeNull();
        expect(headers.get("server")).toBeNull();
      }
    }
  });
});

describe("the service's base URL", () => {
  it.each([
    'evil.example/"><script>',
    "evil.example/path",
    "user@evil.example",
    "evil.example:99999999",
    "a b",
    "[::1",
    "%",
  ])("never echoes an invalid Host header: %j", async (host) => {
    expect(await schemaOf(world.url, { host })).toBe(`http://localhost:${new URL(world.url).port}/schemas/Health.json`);
  });

  it("is taken from a valid Host header, and is this machine without one", async () => {
    for (const host of ["millrace.example", "millrace.example:8443", "[::1]:8787", "10.0.0.1"]) {
      expect(await schemaOf(world.url, { host })).toBe(`http://${host}/schemas/Health.json`);
    }
    const [old] = readResponses(await sendRaw(world.url, "GET /health HTTP/1.0\r\n\r\n"));
    expect(JSON.parse(old?.body ?? "").$schema).toBe(`http://localhost:${new URL(world.url).port}/schemas/Health.json`);
  });

  it("is PUBLIC_URL if set, regardless of the headers", async () => {
    const { url } = await world.anotherInstance({
      public_url: "https://millrace.example",
      trusted_proxies: ["127.0.0.1"],
    });
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "ftp" };
    const expected = "https://millrace.example/schemas/Health.json";
    expect(await schemaOf(url, headers)).toBe(expected);
  });

  it("trusts a proxy only when configured, and then only http and https", async () => {
    const forwarded = { "x-forwarded-host": "public.example", "x-forwarded-proto": "https" };
    expect((await world.anonymous.get("/health", { headers: forwarded })).body.$schema).toMatch(/^http:\/\/127/);
    const behind = await world.anotherInstance({ trusted_proxies: ["127.0.0.1"] });
    const response = await behind.anonymous.get("/health", { headers: forwarded });
    expect(response.body.$schema).toBe("https://public.example/schemas/Health.json");
    const odd = { ...forwarded, "x-forwarded-proto": "javascript" };
    expect((await behind.anonymous.get("/health", { headers: odd })).body.$schema).toMatch(/^https?:\/\//);
  });
});

describe("other origins", () => {
  const preflight = { origin: "https://app.example", "access-control-request-method": "POST" };

  it("are refused unless CORS_ORIGINS lists them", async () => {
    const response = await world.anonymous.get("/health", { headers: { origin: "https://app.example" } });
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    const preflighted = await world.anonymous.send("OPTIONS", "/v1/projects", undefined, { headers: preflight });
    expect([preflighted.status, preflighted.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  });

  it("listed in CORS_ORIGINS are allowed, also on errors; others are not, and none with cookies", async () => {
    const { anonymous } = await world.anotherInstance({ cors_origins: ["https://app.example", "https://b.example"] });
    const preflighted = await anonymous.send("OPTIONS", "/v1/projects", undefined, { headers: preflight });
    expect([preflighted.status, preflighted.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "https://app.example",
    ]);
    expect(preflighted.headers.get("access-control-allow-headers")).toContain("authorization");
    for (const path of ["/health", "/v1/me", "/nothing"]) {
      const { headers } = await anonymous.get(path, { headers: { origin: "https://b.example" } });
      expect(headers.get("access-control-allow-origin"), path).toBe("https://b.example");
      expect(headers.get("access-control-expose-headers"), path).toContain("x-request-id");
      expect(headers.get("access-control-allow-credentials"), path).toBeNull();
      expect(headers.get("vary"), path).toMatch(/origin/i);
    }
    for (const origin of ["https://evil.example", "https://app.example.evil.example", "null"]) {
      const refused = await anonymous.send("OPTIONS", "/v1/me", undefined, { headers: { ...preflight, origin } });
      expect(refused.headers.get("access-control-allow-origin"), origin).toBeNull();
    }
    expect((await anonymous.send("OPTIONS", "/v1/me")).status).toBe(204);
  });
});
