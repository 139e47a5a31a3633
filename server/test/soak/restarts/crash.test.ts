import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  processesIn,
  type ReadyService,
  runService,
  SECRETS,
  startService,
  temporaryDir,
  useServices,
} from "../../service/start-service.ts";
import { until } from "../../world/until.ts";
import { constantLoad, missingFrom, nextSuccess } from "../service/constant-load.ts";

useServices();

let dataDir = "";

beforeAll(() => {
  dataDir = temporaryDir();
});

describe("a crash", () => {
  it("an interrupted first start leaves no process, and the next start behaves like a first one", async () => {
    // On a busy machine it may be ready before it is interrupted: then the test tries another first start.
    for (let hasStarted = true; hasStarted; ) {
      rmSync(dataDir, { recursive: true, force: true });
      const service = runService("dev", { env: { ...SECRETS, MILLRACE_DATA_DIR: dataDir } });
      await until("the database to be created", 20_000, () => processesIn(dataDir).length > 0);
      service.signal("SIGINT");
      await service.exited;
      hasStarted = service.output().includes("Stop");
      await until("every process to end", 20_000, () => processesIn(dataDir).length === 0);
    }
  });

  it("kill -9 of the service leaves no orphan, and all acknowledged data exists after the restart", async () => {
    const service = await startDev();
    const load = constantLoad(service);
    await until("some writes", 20_000, () => load.acknowledged.length > 100);
    await service.kill();
    await load.stop();
    await until("every process to end", 20_000, () => processesIn(dataDir).length === 0);

    const next = await startDev();
    expect(await missingFrom(next, load.acknowledged)).toEqual([]);
    await next.stop();
  });

  it("kill -9 of the embedded PostgreSQL causes 503 until it is restarted", async () => {
    const service = await startDev();
    const load = constantLoad(service);
    await until("some writes", 20_000, () => load.acknowledged.length > 20);
    const before = postmasterPid();
    process.kill(before, "SIGKILL");
    await until("requests to fail with 503", 20_000, () => load.requests.some(({ status }) => status === 503));
    // Until then a connection to the dead server may still respond.
    await until("another server", 20_000, () => postmasterPid() > 0 && postmasterPid() !== before);
    await nextSuccess(load, 20_000);
    await until("readiness", 20_000, async () => (await service.admin.get("/health/ready")).status === 200);
    await load.stop();

    expect(new Set(load.requests.map(({ status }) => status))).toEqual(new Set([200, 201, 503]));
    expect(load.requests.filter(({ status, retryAfter }) => status === 503 && retryAfter !== "1")).toEqual([]);
    expect(load.slowestRejectionMs()).toBeLessThan(1_000);
    expect(await missingFrom(service, load.acknowledged)).toEqual([]);
    expect(service.output()).not.toMatch(/^ {4}at |\\n {4}at /m);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(processesIn(dataDir)).toEqual([]);
  });
});

function startDev(): Promise<ReadyService> {
  return startService("dev", { env: { ...SECRETS, MILLRACE_DATA_DIR: dataDir } });
}

/** 0 while there is none. */
function postmasterPid(): number {
  const file = join(dataDir, "postgres", "postmaster.pid");
  return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : 0;
}
