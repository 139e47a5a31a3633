import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../outside/free-port.ts";
import {
  type ReadyService,
  runService,
  SECRETS,
  serveOn,
  startService,
  temporaryDir,
  useServices,
} from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { dropDatabase, emptyDatabase, runSql, type TestConnection } from "../../world/database.ts";

useServices();

describe("two services side by side", () => {
  let dataDirs: string[] = [];
  let services: ReadyService[] = [];

  beforeAll(async () => {
    dataDirs = [temporaryDir(), temporaryDir()];
    const ports = [await freePort(), await freePort()];
    services = await Promise.all(dataDirs.map((dataDir, i) => startDev(dataDir, ports[i] ?? 0)));
  });

  it("run, each with its own data", async () => {
    const keys = services.map((service) => /API key +(svc_\S+)/.exec(service.output())?.[1] ?? "");
    const [first, second] = services;
    expect(await statusOf(first, keys[0])).toBe(200);
    expect(await statusOf(second, keys[0])).toBe(401);
  });

  it("fail on a port that is in use, and explain how to choose another", async () => {
    const taken = services[0]?.port ?? 0;
    const third = runService("dev", { env: { MILLRACE_DATA_DIR: temporaryDir(), PORT: String(taken) } });
    expect(await third.exited).toEqual({ code: 1, signal: null });
    expect(third.output().trim()).toBe(
      `millrace: Port ${taken} on 127.0.0.1 is used by another program. Stop it, or choose another: PORT=${taken + 1}.`,
    );
  });

  it("name a misspelled setting before they fail on that port", async () => {
    const taken = services[0]?.port ?? 0;
    const env = { MILLRACE_DATA_DIR: temporaryDir(), PORT: String(taken), PROT: "9000" };
    const third = runService("dev", { env });
    expect(await third.exited).toEqual({ code: 1, signal: null });
    expect(third.output()).toMatch(
      /PROT is not a setting, and is ignored. Did you mean PORT\?[\s\S]+is used by another program/,
    );
  });

  it.each(["dev", "serve"])(
    "fail to %s on a data directory in use, and name the process that uses it",
    async (command) => {
      const env = { ...(command === "serve" ? SECRETS : {}), MILLRACE_DATA_DIR: dataDirs[0] };
      const third = runService(command, { env });
      expect(await third.exited).toEqual({ code: 1, signal: null });
      expect(third.output()).toMatch(
        new RegExp(`millrace: millrace dev \\(pid ${services[0]?.pid}, port ${services[0]?.port}\\) already uses`),
      );
      expect(third.output()).not.toMatch(/^ {4}at /m);
      expect((await services[0]?.admin.get("/health/ready"))?.status).toBe(200);
    },
  );
});

describe("two instances on one database", () => {
  let connection: TestConnection;
  beforeAll(async () => {
    connection = await emptyDatabase();
  });
  afterAll(() => dropDatabase(connection));

  it("start concurrently on an empty one: both become ready, and every migration runs once", async () => {
    const instances = await Promise.all([serveOn(connection), serveOn(connection)]);
    for (const { admin } of instances) expect((await admin.get("/health/ready")).status).toBe(200);
    const ran = await runSql<{ name: string }>(connection, "select name from migrations order by id");
    expect(ran.map(({ name }) => name)).toEqual([...new Set(ran.map(({ name }) => name))].sort());

    const [first, second] = instances;
    const created = await first?.admin.post("/v1/projects", { name: "Seen by both" });
    expect((await second?.admin.get(`/v1/projects/${created?.body.id}`))?.status).toBe(200);
    await Promise.all(instances.map((instance) => instance.kill()));
  });
});

function startDev(dataDir: string, port: number): Promise<ReadyService> {
  return startService("dev", { env: { MILLRACE_DATA_DIR: dataDir, PORT: String(port) } });
}

async function statusOf(service: ReadyService | undefined, key = ""): Promise<number> {
  return (await makeClient(service?.url ?? "", { authorization: `Bearer ${key}` }).get("/v1/me")).status;
}
