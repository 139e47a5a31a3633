import { ERROR_CODES } from "@millrace/contract/error-codes/all-codes";
import { beforeAll, describe, expect, it } from "vitest";
import { readResponses, sendRaw } from "../../../test/outside/raw-request.ts";
import { edgeRoutes } from "../../../test/requests/edge-routes.ts";
import { openSchemaCheck, type SchemaCheck } from "../../../test/requests/schema-check.ts";
import type { Client, ClientResponse } from "../../../test/world/client.ts";
import { runSql } from "../../../test/world/database.ts";
import { endSessions } from "../../../test/world/end-sessions.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";

let world: World;
let project: TestProject;
let schemas: SchemaCheck;
beforeAll(async () => {
  world = await makeWorld({ config: { max_body_bytes: 4_096 }, routes: edgeRoutes });
  project = await world.project();
  schemas = openSchemaCheck();
});

/** One request for each status that the API layer itself returns. */
const REFUSALS: Record<number, () => Promise<ClientResponse>> = {
  400: () => world.admin.post("/v1/projects", "{"),
  401: () => world.anonymous.get("/v1/me"),
  403: () => project.api.post("/v1/projects", { name: "Mine" }),
  404: () => world.anonymous.get("/nothing"),
  405: () => world.anonymous.delete("/health"),
  409: () => world.admin.post("/v1/projects", { name: "Twice", slug: project.slug }),
  413: () => world.admin.post("/v1/projects", { name: "x".repeat(4_096) }),
  414: () => world.anonymous.get(`/v1/test/keys/${"x".repeat(6_145)}`),
  415: () => world.admin.post("/v1/projects", "name=x", { headers: { "content-type": "text/plain" } }),
  422: () => world.admin.post("/v1/projects", { nome: "x" }),
  429: async () => {
    const { anonymous } = await world.anotherInstance({ rate_limits: { api: 1, trigger: 0, bulk_trigger: 0 } });
    await anonymous.get("/v1/me");
    return anonymous.get("/v1/me");
  },
};

async function expectProblem(response: ClientResponse, status: number) {
  const { body } = response;
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(await schemas.issuesOf(body)).toEqual([]);
  // Both kinds at once, with every field of each.
  expect(Object.keys(body).toSorted()).toEqual(
    ["$schema", "code", "detail", "error", "errors", "instance", "request_id", "status", "title", "type"].toSorted(),
  );
  const code = body.code as keyof typeof ERROR_CODES;
  expect(body).toMatchObject({ status, type: "about:blank", title: ERROR_CODES[code].title, error: body.detail });
  expect(ERROR_CODES[code].status).toBe(status);
  expect(body.request_id).toBe(response.headers.get("x-request-id"));
  expect(body.detail).not.toBe("");
  expect(response.headers.get("link")).toBe(`</docs/errors/${code}>; rel="help"`);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(response.headers.get(name), name).toBe(value);
}

describe("every refusal is one Problem", () => {
  it.each(Object.keys(REFUSALS).map(Number))("O3 on %i", async (status) => {
    const response = await REFUSALS[status]?.();
    if (!response) throw new Error("no answer");
    await expectProblem(response, status);
  });

  it("O3 on 404, with the location that names the missing object", async () => {
    const { id } = (await project.api.post("/v1/jobs", { name: "Mail", endpoint_url: "https://example.com/" })).body;
    const missing: [Client, string, string, string][] = [
      [world.anonymous, "/nothing?token=secret", "path", "/nothing"],
      [project.api, "/v1/runs/nobody", "path.runID", "nobody"],
      [project.api, `/v1/jobs/${id}/versions/none`, "path.versionID", "none"],
      [project.api, "/v1/jobs/none/versions/none", "path.jobID", "none"],
      [project.api, "/v1/workflow-runs/none/steps/first", "path.workflowRunID", "none"],
      [project.api, "/v1/event-sources/none/events/first", "path.sourceID", "none"],
      [project.api, "/v1/events/nobody-waits", "path.eventKey", "nobody-waits"],
      [project.api, "/v1/log-drains/none", "path.drainID", "none"],
      [world.admin, "/v1/jobs?project_id=none", "query.project_id", "none"],
      [world.admin, "/v1/workflow-policies/none", "path.projectID", "none"],
    ];
    for (const [client, path, location, value] of missing) {
      const { status, body } = await client.get(path);
      expect([path, status, body.errors]).toEqual([path, 404, [{ location, message: body.detail, value }]]);
    }
    const callback = await world.anonymous.post("/v1/events/callback/a-secret", {});
    expect([callback.status, callback.text.includes("a-secret")]).toEqual([404, false]);
    const headers = { "x-project-id": "none" };
    expect((await world.admin.get("/v1/jobs", { headers })).body.errors[0].location).toBe("header.X-Project-Id");
  });

  it("O3 on 503, while the database is unreachable; readiness reports it and liveness does not", async () => {
    const away = await makeWorld({ routes: edgeRoutes });
    const tenant = await away.project();
    const { database, ...server } = away.connection;
    const maintenance = { ...server, database: "postgres" };
    await runSql(maintenance, `alter database ${database} allow_connections false`);
    await endSessions(maintenance, database);
    await away.ctx.watch.ping();
    away.ctx.keyCache.clear();

    for (const client of [away.admin, tenant.api, away.admin, tenant.api]) {
      const response = await client.get(`/v1/environments?project_id=${tenant.id}`);
      await expectProblem(response, 503);
      expect(response.headers.get("retry-after")).toBe("1");
    }
    const ready = await away.anonymous.get("/health/ready");
    expect([ready.status, ready.body.ready, ready.body.checks.database]).toEqual([503, false, "unavailable"]);
    expect(await schemas.issuesOf(ready.body)).toEqual([]);
    expect((await away.anonymous.get("/health")).status).toBe(200);

    await runSql(maintenance, `alter database ${database} allow_connections true`);
    // A ping that was refused before may still be in flight.
    const call = async () => (await tenant.api.get("/v1/environments")).status;
    await until("reads to work again", 20_000, async () => (await call()) === 200);
  });

  it("O3 on 503, while the database responds but cannot write: its disk is full, or it is read-only", async () => {
    const full = await makeWorld();
    const tenant = await full.project();
    const { database, ...server } = full.connection;
    const job = { name: "Mail", endpoint_url: "https://example.com/" };
    const expectRefused = async () => {
      const response = await tenant.api.post("/v1/jobs", job);
      await expectProblem(response, 503);
      expect(response.headers.get("retry-after")).toBe("1");
      expect((await tenant.api.get("/v1/jobs")).status).toBe(200);
    };
    await runSql(
      full.connection,
      `create function no_room() returns trigger language plpgsql as
       $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
    );
    await runSql(full.connection, "create trigger no_room before insert on jobs execute function no_room()");
    await expectRefused();
    await runSql(full.connection, "drop trigger no_room on jobs");

    await runSql(full.connection, `alter database ${database} set default_transaction_read_only = on`);
    const maintenance = { ...server, database: "postgres" };
    await endSessions(maintenance, database);
    // The pool notices each lost connection at its own time.
    const call = async () => (await tenant.api.get("/v1/jobs")).status;
    await until("reads to work again", 20_000, async () => (await call()) === 200);
    await expectRefused();
    await runSql(maintenance, `alter database ${database} reset default_transaction_read_only`);
    await endSessions(maintenance, database);
    let tries = 0;
    const retry = async () => (await tenant.api.post("/v1/jobs", { ...job, name: `Mail ${++tries}` })).status;
    await until("writes to work again", 20_000, async () => (await retry()) === 201);
  });

  it("O3 on a path that cannot be routed because of broken percent encoding", async () => {
    for (const path of ["/%", "/v1/projects/%zz", "/v1/test/keys/%ff", "/v1/test/keys/%ED%A0%80"]) {
      await expectProblem(await world.anonymous.get(path), 400);
    }
  });

  it("O3 on bytes that are not HTTP at all", async () => {
    for (const bytes of [
      "GARBAGE\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "GET /health HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\n",
    ]) {
      const [response] = readResponses(await sendRaw(world.url, bytes));
      if (!response) throw new Error(`no answer to ${bytes}`);
      const headers = new Headers(response.headers);
      await expectProblem({ ...response, headers, text: response.body, body: JSON.parse(response.body) }, 400);
    }
  });

  it("O5 on a body that is too large, with the limit", async () => {
    const { body } = await world.admin.post("/v1/projects", { name: "x".repeat(4_096) });
    expect(body.detail).toBe("The body is larger than 4096 bytes, the most this service accepts.");
  });

  it("O3 distinguishes a header without a bearer token from an unknown token", async () => {
    const detailOf = async (authorization: string) =>
      (await world.anonymous.get("/v1/me", { headers: { authorization } })).body.detail;
    for (const header of ["Bearer ", "Bearer", "Basic dXNlcjpwYXNz", "Bearer two words"])
      expect(await detailOf(header), header).toMatch(/^The Authorization header holds no bearer token\. /);
    expect(await detailOf("Bearer junk")).toBe("The bearer token is unknown.");
  });

  it("O3 with the authentication scheme on 401, and the allowed methods on 405", async () => {
    for (const headers of [{}, { cookie: "millrace_session=junk" }, { authorization: "Bearer junk" }]) {
      expect((await world.anonymous.get("/v1/me", { headers })).headers.get("www-authenticate")).toBe("Bearer");
    }
    const refused = await world.anonymous.post("/v1/session", { code: "nothing" });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect((await world.anonymous.put("/v1/projects", {})).headers.get("allow")).toBe("POST, GET, HEAD");
  });
});

describe("request ids", () => {
  it.each(["a", "0af7651916cd43dd8448eb211c80319c", "!~#$%&", "a b", "x".repeat(128)])("O3 keeps %s", async (id) => {
    for (const path of ["/health", "/nothing", "/%"]) {
      const response = await world.anonymous.get(path, { headers: { "x-request-id": id } });
      expect(response.headers.get("x-request-id"), path).toBe(id);
    }
  });

  it.each(["", "x".repeat(129), "a\tb", "é"])("O3 replaces %j", async (id) => {
    const response = await world.anonymous.get("/nothing", { headers: { "x-request-id": id } });
    expect(response.body.request_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get("x-request-id")).toBe(response.body.request_id);
  });

  it("O3 are on every response, and differ", async () => {
    const ids = await Promise.all(
      ["/health", "/", "/docs", "/schemas/Me.json", "/v1/me", "/%"].map(async (path) =>
        (await world.anonymous.get(path)).headers.get("x-request-id"),
      ),
    );
    expect(new Set(ids).size).toBe(6);
    expect(ids).not.toContain(null);
  });
});
