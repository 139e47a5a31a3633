import { beforeAll, expect, it } from "vitest";
import {
  addressOf,
  type InstalledServer,
  needTools,
  queryOnce,
  startInstalledServer,
} from "../../outside/installed-postgres.ts";
import { jobEndpoint } from "../../outside/job-endpoint.ts";
import { serveEnv, startService, useServices } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { until } from "../../world/until.ts";

useServices();

let server: InstalledServer;
beforeAll(async () => {
  server = await startInstalledServer(await needTools());
});

it("an instance with ROLES=api needs no rights to create, change or drop tables", async () => {
  const endpoint = await jobEndpoint();
  const env = { ALLOW_PRIVATE_ENDPOINTS: "true" };
  const engine = await startService("serve", { env: serveEnv(addressOf(server), { ...env, ROLES: "engine" }) });
  for (const statement of [
    "create role reads_and_writes login",
    "revoke create on schema public from public",
    "grant select, insert, update, delete on all tables in schema public to reads_and_writes",
    "grant usage on all sequences in schema public to reads_and_writes",
  ])
    await queryOnce(server.connection, statement);
  const limited = { ...server, connection: { ...server.connection, user: "reads_and_writes" } };
  const { url, admin, output } = await startService("serve", {
    env: serveEnv(addressOf(limited), { ...env, ROLES: "api" }),
  });
  await expect(queryOnce({ ...limited.connection }, "create table mine (id int)")).rejects.toThrow(/denied/);
  const { body: project } = await admin.post("/v1/projects", { name: "Limited" });
  const { body: key } = await admin.post("/v1/api-keys", { name: "all", project_id: project.id });
  const api = makeClient(url, { authorization: `Bearer ${key.key}` });
  const { body: job } = await api.post("/v1/jobs", { name: "Work", endpoint_url: endpoint.url });
  const run = await api.post(`/v1/jobs/${job.id}/trigger`, { payload: {} });
  expect(run.status).toBe(201);
  await until("the run to end", 20_000, async () => (await api.get(`/v1/runs/${run.body.id}`)).body.finished_at);
  expect(`${output()}${engine.output()}`).not.toMatch(/permission denied/);
});
