import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freePort } from "../outside/free-port.ts";
import { makeClient } from "../world/client.ts";
import { cloneDatabase, runSql, type TestConnection } from "../world/database.ts";
import { until } from "../world/until.ts";
import { type ReadyService, serveOn, startService, temporaryDir, urlOf, useServices } from "./start-service.ts";

useServices();
let dataDir = "";

describe("the demo of millrace dev", () => {
  it("exists at the first start, does not delay a stop, and continues after the next start", async () => {
    const connection = await cloneDatabase();
    dataDir = temporaryDir();
    // Runs keep the version of the job, and so the address, that they were started with.
    const PORT = String(await freePort());
    const first = await startDev(connection, { MILLRACE_DATA_DIR: dataDir, PORT });
    expect(first.output()).toContain(`curl -s -X POST http://localhost:${first.port}/demo/resume`);
    expect(first.output()).toContain(`curl -s -X DELETE http://localhost:${first.port}/demo`);
    const { id } = await until("a checkpoint of the import", 20_000, async () => {
      const [run] = await imports(first);
      return run?.progress ? run : undefined;
    });

    // The import would take thirty seconds. It is resumed below, which shows that the stop did not wait for it.
    expect(await first.stop()).toEqual({ code: 0, signal: null });

    const second = await startDev(connection, { MILLRACE_DATA_DIR: dataDir, PORT });
    await until("the import to continue", 20_000, async () => {
      const { data } = (await api(second).get(`/v1/runs/${id}/logs`)).body;
      return data.some(({ message }: { message: string }) => message.startsWith("Resuming after row"));
    });
    expect(await imports(second)).toMatchObject([{ id }]);
    const projects = await runSql(connection, "select slug from projects order by slug");
    expect(projects).toEqual([{ slug: "demo" }, { slug: "main" }]);
    await second.stop();
  });

  it("does not exist in production: neither its paths nor its project", async () => {
    const connection = await cloneDatabase();
    const service = await serveOn(connection);
    for (const [method, path] of [
      ["GET", "/demo"],
      ["DELETE", "/demo"],
      ["POST", "/demo/resume"],
      ["POST", "/demo/jobs/ship-order"],
    ] as const) {
      expect([path, (await service.admin.send(method, path)).status]).toEqual([path, 404]);
    }
    expect(await runSql(connection, "select slug from projects")).toEqual([]);
    await service.stop();
  });
});

function startDev(connection: TestConnection, env: Record<string, string>): Promise<ReadyService> {
  return startService("dev", { env: { DATABASE_URL: urlOf(connection), ...env } });
}

/** Signs in with the internal secret that the first start created, as the sign-in link does. */
function api(service: ReadyService) {
  const { internal_secret } = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8"));
  return makeClient(service.url, { "x-internal-secret": internal_secret, "x-project-id": "demo" });
}

async function imports(service: ReadyService) {
  const job = (await api(service).get("/v1/jobs/import-customers")).body;
  return (await api(service).get(`/v1/runs?job_id=${job.id}`)).body.data;
}
