import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ApplicationDatabase, applicationDatabase } from "../../../test/outside/application-database.ts";
import { emptyDatabase, runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

const PATH = "/v1/outbox-sources";
const PASSWORD = "correct-horse";

let world: World;
let project: TestProject;
let application: ApplicationDatabase;
beforeAll(async () => {
  world = await makeWorld();
  application = await applicationDatabase();
});
beforeEach(async () => {
  project = await world.project();
});

const withPassword = () => application.url.replace("@", `:${PASSWORD}@`);
const create = (fields: Record<string, unknown> = {}) =>
  project.api.post(PATH, { name: "Shop", database_url: withPassword(), enabled: false, ...fields });

describe("POST /v1/outbox-sources", () => {
  it("never returns the connection string, and stores it encrypted", async () => {
    const { status, body, text } = await create();
    expect(status).toBe(201);
    const { database, user: username } = application.connection;
    const where = { host: "127.0.0.1", port: application.network.port, database };
    expect(body).toMatchObject({ ...where, username, sslmode: "disable", state: "disabled" });
    expect(text).not.toContain(PASSWORD);
    const rows = await runSql(
      world.connection,
      "select o.*, encode(database_url, 'escape') as stored from outbox_sources o",
    );
    expect(JSON.stringify(rows)).not.toContain(PASSWORD);
    const audited = await runSql(world.connection, "select after from audit_events where project_id = $1", [
      project.id,
    ]);
    expect(JSON.stringify(audited)).not.toContain(PASSWORD);
  });

  it("tests the connection: an unreachable or unprepared database is refused with the reason", async () => {
    const unprepared = await emptyDatabase();
    const { url, connection } = application;
    const refused = await create({ database_url: url.replace(connection.database, unprepared.database) });
    expect([refused.status, refused.body.code]).toEqual([422, "validation_failed"]);
    expect(refused.body.errors[0].message).toContain("millrace outbox install");
    const closed = await create({ database_url: withPassword().replace(/:\d+\//, ":1024/") });
    expect(closed.body.errors[0]).toMatchObject({ location: "body.database_url", value: null });
    const missing = await create({ database_url: withPassword().replace(connection.database, "nowhere") });
    expect(missing.body.errors[0].message).toContain("does not exist");
    expect(`${refused.text}${closed.text}${missing.text}`).not.toContain(PASSWORD);
  });

  it.each([
    ["https://db.example.com/shop", "postgresql://"],
    ["postgresql://app@/shop", "postgresql://"],
    ["postgresql://db.example.com/shop", "must name user"],
    ["postgresql://app@db.example.com/shop?host=/var/run/postgresql", "the parameter host"],
    ["postgresql://app@db.example.com/shop?sslrootcert=/etc/passwd", "the parameter sslrootcert"],
    ["postgresql://app@db.example.com/shop?sslmode=prefer", "sslmode"],
    ["postgresql://app%ZZ@db.example.com/shop", "percent"],
  ])("refuses %s: it names neither sockets nor files of the service", async (database_url, reason) => {
    const { status, body } = await create({ database_url });
    expect([status, body.errors[0].location]).toEqual([422, "body.database_url"]);
    expect(body.errors[0].message).toContain(reason);
  });

  it("refuses private addresses under the same setting as endpoints, and names it", async () => {
    const guarded = await world.anotherInstance({ private_endpoints: "refuse" });
    for (const host of ["10.1.2.3", "db.internal", "localhost", "169.254.169.254"]) {
      const response = await fetch(`${guarded.url}${PATH}`, {
        method: "POST",
        headers: { authorization: `Bearer ${project.key}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "Shop", database_url: `postgresql://app@${host}/shop` }),
      });
      const body = (await response.json()) as { errors: { message: string }[] };
      expect(response.status, host).toBe(422);
      if (host !== "169.254.169.254") expect(body.errors[0]?.message, host).toContain("ALLOW_PRIVATE_ENDPOINTS");
    }
  });

  it("is for administrators: an operator reads sources but cannot connect one", async () => {
    const { api } = await project.newKey({ scopes: ["outbox:read", "jobs:write", "runs:write", "drains:write"] });
    expect((await api.post(PATH, { name: "Shop", database_url: withPassword() })).body.code).toBe("scope_missing");
    expect((await api.get(PATH)).status).toBe(200);
    const alone = await project.newKey({ scopes: ["outbox:write"] });
    const refused = await alone.api.post(PATH, { name: "Shop", database_url: withPassword() });
    expect(refused.body.code, "its rows could start any job").toBe("grant_too_wide");
  });
});

describe("GET /v1/outbox-sources/{outboxSourceID}", () => {
  it("is found by its id, and by nobody else", async () => {
    const { body } = await create();
    expect((await project.api.get(`${PATH}/${body.id}`)).body).toEqual(body);
    expect((await (await world.project()).api.get(`${PATH}/${body.id}`)).status).toBe(404);
  });
});

describe("GET /v1/outbox-sources", () => {
  it("lists the sources of the project", async () => {
    const { body } = await create();
    const { $schema: _, ...source } = body;
    expect((await project.api.get(PATH)).body.data).toEqual([source]);
  });
});

describe("PATCH /v1/outbox-sources/{outboxSourceID}", () => {
  it("tests a new connection string, and keeps the old one if that fails", async () => {
    const { body } = await create();
    const path = `${PATH}/${body.id}`;
    const renamed = await project.api.patch(path, { name: "Store", database_url: application.url });
    expect(renamed.body).toMatchObject({ name: "Store" });
    const refused = await project.api.patch(path, { database_url: application.url.replace(/\/test_\w+/, "/nowhere") });
    expect(refused.status).toBe(422);
    expect((await project.api.get(path)).body).toEqual(renamed.body);
  });
});

describe("DELETE /v1/outbox-sources/{outboxSourceID}", () => {
  it("leaves the rows in the application's database", async () => {
    const { body } = await create();
    const id = await application.enqueue("a-job");
    expect((await project.api.delete(`${PATH}/${body.id}`)).status).toBe(204);
    expect((await project.api.get(`${PATH}/${body.id}`)).status).toBe(404);
    expect((await application.rows()).map((row) => row.id)).toContain(id);
  });
});

describe("GET /v1/outbox-sources/{outboxSourceID}/refused", () => {
  it("says why the application's database cannot be read", async () => {
    const gone = await applicationDatabase();
    const { body } = await create({ database_url: gone.url });
    await runSql(gone.connection, "drop schema millrace cascade");
    const refused = await project.api.get(`${PATH}/${body.id}/refused`);
    expect([refused.status, refused.body.code]).toEqual([409, "outbox_source_unreachable"]);
    expect(refused.body.detail).toContain("millrace outbox install");
  });
});
