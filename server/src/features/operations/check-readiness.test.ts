import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { atTime } from "../../../test/world/later.ts";
import { startAtOnce } from "../../../test/world/start-at-once.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { runTasks } from "../../engine/run-tasks.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const ready = async () => {
  const { status, body } = await world.anonymous.get("/health/ready");
  return { status, ready: body.ready, checks: body.checks };
};

const READY = { status: 200, ready: true, checks: { database: "ok", engine: "ok" } };
const AWAY = { status: 503, ready: false, checks: { database: "unavailable", engine: "unavailable" } };

describe("GET /health/ready", () => {
  it("O1 200 with every check ok, without a credential", async () => {
    expect(await ready()).toEqual(READY);
  });

  it("O1 omits the engine check on an instance without the engine", async () => {
    const api = await world.anotherInstance({ roles: new Set(["api"]) });
    expect((await api.anonymous.get("/health/ready")).body.checks).toEqual({ database: "ok" });
  });

  it("O1 is served by an instance with only the engine, which serves nothing else", async () => {
    const engine = await world.anotherInstance({ roles: new Set(["engine"]) });
    expect((await engine.anonymous.get("/health/ready")).status).toBe(200);
    expect((await engine.admin.get("/v1/projects")).status).toBe(404);
  });

  it("O1 503 while it is stopping, although requests are still served", async () => {
    world.ctx.state.draining = true;
    expect(await ready()).toEqual({
      status: 503,
      ready: false,
      checks: { database: "ok", engine: "ok", instance: "stopping" },
    });
    expect((await world.anonymous.get("/health")).status).toBe(200);
    expect((await world.admin.get("/v1/projects")).status).toBe(200);
    world.ctx.state.draining = false;
    expect(await ready()).toEqual(READY);
  });

  it("O1 503 when a task is a minute overdue, naming it", async () => {
    // A whole number: with a fraction, adding a minute can round to more than a minute later.
    const dueAt = Math.round(performance.now());
    world.ctx.state.taskDueAt.set("slow-task", dueAt);
    expect(await atTime(dueAt + 60_000, ready)).toEqual(READY);
    expect(await atTime(dueAt + 60_001, ready)).toMatchObject({
      status: 503,
      checks: { database: "ok", engine: "stuck: slow-task" },
    });
    world.ctx.state.taskDueAt.clear();
  });

  it("O1 does not report a task with a ten-minute interval as stuck", async () => {
    let passes = 0;
    const task = { name: "rare", everyMs: 600_000, oneInstance: false, runOnce: async () => ++passes === 0 };
    const loops = startAtOnce(() => runTasks(world.ctx, [task]));
    await until("one pass", 20_000, () => passes === 1);
    await until(
      "the time of its next pass",
      20_000,
      () => (world.ctx.state.taskDueAt.get("rare") ?? 0) > performance.now() + 500_000,
    );
    await loops.stop();
    expect(world.ctx.state.taskDueAt.has("rare")).toBe(false);
  });

  it("O1 503 while the database is unavailable, and 200 again once it is back", async () => {
    const { key } = await world.project();
    await setAllowed(false);
    const first = await Promise.all(Array.from({ length: 30 }, () => world.as(key).get("/v1/projects")));
    expect(first.filter((response) => response.status !== 200 && response.status !== 503)).toEqual([]);
    await until("the database to be reported as down", 20_000, async () => isDeepStrictEqual(await ready(), AWAY));
    expect((await world.anonymous.get("/health")).status).toBe(200);
    for (const client of [world.admin, world.as(key)]) {
      const response = await client.get("/v1/projects");
      expect([response.status, response.body.code, response.headers.get("retry-after")]).toEqual([
        503,
        "service_unavailable",
        "1",
      ]);
    }
    expect((await world.anonymous.post("/v1/session", { code: "x" })).status).toBe(503);
    expect((await world.anonymous.get("/metrics")).text).toContain("millrace_database_up 0");

    await setAllowed(true);
    await until("the database to be reported as up", 20_000, async () => isDeepStrictEqual(await ready(), READY));
    expect((await world.as(key).get("/v1/projects")).status).toBe(200);
    expect((await world.anonymous.get("/metrics")).text).toContain("millrace_database_up 1");
  });
});

/** Through the server's other database, which stays available. */
async function setAllowed(allowed: boolean): Promise<void> {
  const { database, ...server } = world.connection;
  const elsewhere = { ...server, database: "postgres" };
  await runSql(elsewhere, `alter database ${database} allow_connections ${allowed}`);
  if (allowed) return;
  await runSql(elsewhere, "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [database]);
}
