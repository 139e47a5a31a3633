import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeClient } from "../world/client.ts";
import { cloneDatabase, dropDatabase, runSql, type TestConnection } from "../world/database.ts";
import { until } from "../world/until.ts";
import { type ReadyService, serveOn, useServices } from "./start-service.ts";

useServices();

let connection: TestConnection;
let api: ReadyService;
let engine: ReadyService;

beforeAll(async () => {
  connection = await cloneDatabase();
  [api, engine] = await Promise.all([serveOn(connection, { ROLES: "api" }), serveOn(connection, { ROLES: "engine" })]);
});
afterAll(async () => {
  await Promise.all([api.kill(), engine.kill()]);
  await dropDatabase(connection);
});

describe("ROLES=engine", () => {
  it("serves health and metrics", async () => {
    expect((await engine.admin.get("/health")).status).toBe(200);
    expect((await engine.admin.get("/health/ready")).body.checks).toEqual({ database: "ok", engine: "ok" });
    expect((await engine.admin.get("/metrics")).text).toContain("millrace_database_up 1");
    expect((await makeClient(engine.url, {}).get("/metrics")).status).toBe(401);
  });

  it.each(["/", "/docs", "/v1/me", "/v1/projects"])("does not serve %s", async (path) => {
    expect((await engine.admin.get(path)).status).toBe(404);
  });

  it("runs the tasks", async () => {
    await until("a task", 20_000, async () =>
      /millrace_task_runs_total\{.*outcome="done"/.test(await metricsOf(engine)),
    );
  });
});

describe("ROLES=api", () => {
  it("serves the API and runs no task", async () => {
    expect((await api.admin.get("/v1/projects")).status).toBe(200);
    expect((await api.admin.get("/health/ready")).body.checks).toEqual({ database: "ok" });
    await until("the engine to register", 20_000, async () => (await registeredRoles()).length > 0);
    expect(await registeredRoles()).toEqual([["engine"]]);
    expect(await metricsOf(api)).not.toMatch(/millrace_task_runs_total\{/);
  });
});

async function metricsOf(service: ReadyService): Promise<string> {
  return (await service.admin.get("/metrics")).text;
}

async function registeredRoles(): Promise<string[][]> {
  const rows = await runSql<{ roles: string[] }>(connection, "select roles from instances");
  return rows.map(({ roles }) => roles);
}
