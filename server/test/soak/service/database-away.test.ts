import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TIMEOUTS } from "../../../src/platform/database/timeouts.ts";
import { openDatabaseProxy } from "../../harness/chaos-proxy.ts";
import { type ReadyService, runService, serveEnv, startService, useServices } from "../../service/start-service.ts";
import { cloneDatabase, dropDatabase, runSql, type TestConnection } from "../../world/database.ts";
import { until } from "../../world/until.ts";
import { type ConstantLoad, constantLoad, missingFrom, nextSuccess, type SentRequest } from "./constant-load.ts";

useServices();

let connection: TestConnection;
let proxy: Awaited<ReturnType<typeof openDatabaseProxy>>;
let service: ReadyService;

beforeAll(async () => {
  connection = await cloneDatabase();
  proxy = await openDatabaseProxy(connection);
  service = await startService("serve", { env: serveEnv(proxy.url) });
});
afterAll(() => dropDatabase(connection));

describe("a slow database", () => {
  it("is not reported unavailable while it responds", async ({ skip }) => {
    for (let tries = 0; tries < 10; tries++) {
      const before = service.output().length;
      const load = constantLoad(service);
      await until("some writes", 20_000, () => load.acknowledged.length > 20);
      proxy.delay(1_000, "millrace health");
      await pause(3_000); // three checks without a response in time
      await load.stop();
      proxy.delay(0);
      await until("readiness", 20_000, async () => (await service.admin.get("/health/ready")).status === 200);
      if (load.delayMs() > TIMEOUTS.check_every_ms) continue;
      expect(new Set(load.requests.map(({ status }) => status))).toEqual(new Set([200, 201]));
      expect(service.output().slice(before)).not.toContain("does not respond");
      return;
    }
    // The connection to the database runs through this process: while it is blocked, nothing arrives.
    skip("the machine was too busy: this process was blocked for longer than the interval of the health check");
  });
});

describe("while the database is unavailable", () => {
  it.each([
    { away: "it refuses connections", leave: async () => proxy.cut() },
    { away: "it does not respond", leave: async () => proxy.blackhole() },
  ])("$away: returns 503 within a second, keeps running, and recovers by itself", async ({ leave }) => {
    const load = constantLoad(service, 12); // more than there are connections
    await until("some writes", 20_000, () => load.acknowledged.length > 20);

    const leftAt = performance.now();
    await leave();
    await until("readiness to fail", 20_000, async () => (await service.admin.get("/health/ready")).status === 503);
    expect(performance.now() - leftAt - load.delayMs()).toBeLessThan(2_000);
    expect((await service.admin.get("/health")).status).toBe(200);
    await refusesEverything(load);

    await proxy.heal();
    expect((await nextSuccess(load, 20_000)) - load.delayMs()).toBeLessThan(5_000);
    await until("readiness", 20_000, async () => (await service.admin.get("/health/ready")).status === 200);
    const recoveredAt = performance.now();
    const requestsSince = () => load.requests.filter(({ startedAt }) => startedAt > recoveredAt);
    await until("steady work", 20_000, () => requestsSince().length > 100);
    await load.stop();

    expect(requestsSince().filter(isRefused)).toEqual([]);
    expect(new Set(load.requests.map(({ status }) => status))).toEqual(new Set([200, 201, 503]));
    expect(load.requests.filter(({ status, retryAfter }) => status === 503 && retryAfter !== "1")).toEqual([]);
    expect(load.slowestRejectionMs()).toBeLessThan(1_000);
    expect(await missingFrom(service, load.acknowledged)).toEqual([]);
    expect(service.output()).not.toMatch(/^ {4}at |\\n {4}at /m);
  });

  it("wake-ups arrive again afterwards", async () => {
    await until("the listener", 20_000, async () => (await listeners()).length === 1);
  });

  it("a stop does not wait for an unresponsive database", async () => {
    proxy.blackhole();
    await until("readiness to fail", 20_000, async () => (await service.admin.get("/health/ready")).status === 503);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.output()).not.toMatch(/^ {4}at |\\n {4}at /m);
    await proxy.heal();
  });
});

describe("a database that starts later than the service", () => {
  it("is waited for, with a message", async () => {
    await proxy.cut();
    const early = runService("serve", { env: serveEnv(proxy.url) });
    await until("the message", 20_000, () =>
      early.output().includes("the database cannot be reached yet; trying again"),
    );
    await proxy.heal();
    await until("the start", 20_000, () => early.output().includes("millrace is listening"));
    expect(early.output()).not.toMatch(/^ {4}at |\\n {4}at /m);
  });
});

/** Every kind of request fails quickly, including those without a credential and those whose key is not cached here. */
async function refusesEverything(load: ConstantLoad): Promise<void> {
  const key = "svc_0000000000000000000000000000000000000000";
  const statuses = await Promise.all([
    quickly(load, () => service.admin.get("/v1/projects")),
    quickly(load, () => service.admin.post("/v1/session", { code: "ANY" })),
    quickly(load, () => service.admin.get("/v1/me", { headers: { authorization: `Bearer ${key}` } })),
  ]);
  expect(statuses.slice(0, 2)).toEqual([503, 503]);
  const seen = load.requests.length;
  await until("the load to fail with 503", 20_000, () => load.requests.length > seen + 24);
  expect(load.requests.slice(-12).every(isRefused)).toBe(true);
}

async function quickly(load: ConstantLoad, request: () => Promise<{ status: number }>): Promise<number> {
  const startedAt = performance.now();
  const { status } = await request();
  expect(performance.now() - startedAt - load.delayMs()).toBeLessThan(1_000);
  return status;
}

function isRefused({ status }: SentRequest): boolean {
  return status === 503;
}

function listeners(): Promise<object[]> {
  return runSql(
    connection,
    "select 1 from pg_stat_activity where datname = current_database() and application_name like 'millrace listen%' and query like '%has_others%'",
  );
}
