import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openHarness } from "../../harness/open-harness.ts";
import { startSteadyLoad } from "../../harness/steady-load.ts";
import { startPgBouncer } from "../../outside/pgbouncer.ts";
import { runService, serveEnv, serveOn, startService, urlOf, useServices } from "../../service/start-service.ts";
import { cloneDatabase, runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";

useServices();

const { secs: SECS, per_sec: PER_SEC } = scenarioSize({
  quick: { secs: 20, per_sec: 40 },
  usual: { secs: 120, per_sec: 200 },
  whole: { secs: 300, per_sec: 200 },
});
const KILL_EVERY_MS = 10_000;
const STUCK_AFTER_MS = 60_000;

describe("three instances behind PgBouncer in transaction mode", () => {
  it(
    "lose, double and strand no run while one of them is killed every ten seconds",
    async () => {
      const connection = await cloneDatabase();
      const pooler = await startPgBouncer(connection);
      const harness = await openHarness({
        ...{ name: "pooler", connection, databaseUrl: async () => pooler },
        env: { DATABASE_DIRECT_URL: urlOf(connection), DISPATCH_CONCURRENCY: "100" },
      });
      const { instances, receiver, random } = harness;
      const project = await harness.project();
      const endpoint_url = receiver.endpoint("work", async ({ dispatch: { attempt }, body }) => {
        // Some are slow, so that a killed instance holds some.
        await pause(body.payload.nth % 10 === 0 ? 1_000 + random() * 1_000 : 5 + random() * 40);
        const fails = body.tries_used === 0 && body.payload.nth % 20 === 0;
        return fails ? { status: 500 } : { body: { attempt } };
      });
      const shared = { endpoint_url, max_attempts: 20, retry_strategy: "fixed" };
      const free = await project.post("/v1/jobs", { name: "Free", ...shared });
      const limited = await project.post("/v1/jobs", { name: "Limited", max_concurrency: 30, ...shared });

      const load = startSteadyLoad(project, [free.body.id, free.body.id, free.body.id, limited.body.id], PER_SEC);
      const kills = Math.floor((SECS * 1_000) / KILL_EVERY_MS);
      for (let nth = 0; nth < kills; nth++) {
        const next = pause(KILL_EVERY_MS);
        await instances.crash(nth % 3, 500);
        await next;
      }
      await load.stop();
      const lastAt = Date.now();
      await harness.settle(STUCK_AFTER_MS);
      const idleAfter = ((Date.now() - lastAt) / 1_000).toFixed(1);

      const { history, violations } = await harness.check();
      const interrupted = history.faults.reduce((sum, { held }) => sum + held.length, 0);
      const repeated = history.calls.filter(({ status }) => status === 0 || status >= 500).length;
      console.info(
        `${load.acknowledged()} triggers acknowledged, ${PER_SEC} a second, ${history.runs.length} runs, ${history.dispatches.length} dispatches; ` +
          `${kills} kills that interrupted ${interrupted} attempts, ${repeated} calls repeated; idle ${idleAfter} s after the last trigger`,
      );
      expect(violations).toEqual({});
      expect(history.runs.length).toBe(load.acknowledged());
      expect(interrupted).toBeGreaterThan(0);
      expect(await runSql(connection, "select 1 from run_queue limit 1")).toEqual([]);
    },
    STUCK_AFTER_MS + (SECS + 180) * 1_000,
  );
});

describe("PgBouncer", () => {
  it("as the only address is refused at the start, with what to set", async () => {
    const env = serveEnv(await startPgBouncer(await cloneDatabase()));
    const service = runService("serve", { env });
    expect(await service.exited).toMatchObject({ code: 1 });
    expect(service.output()).toMatch(/^millrace: .*connection pooler at .*Set DATABASE_DIRECT_URL/m);
  });

  it("shares its server with an instance that connects directly", async () => {
    const connection = await cloneDatabase();
    const pooler = await startPgBouncer(connection);
    const env = { ...serveEnv(pooler), DATABASE_DIRECT_URL: urlOf(connection) };
    const [behind, direct] = await Promise.all([startService("serve", { env }), serveOn(connection)]);
    const { body } = await behind.admin.post("/v1/projects", { name: "Behind a pooler" });
    expect((await direct.admin.get(`/v1/projects/${body.id}`)).status).toBe(200);
  });
});
