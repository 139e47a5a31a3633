import { beforeAll, describe, expect, it } from "vitest";
import { seedOutboxSource } from "../../../test/seed/seed-outbox-source.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { migrationNames } from "../../platform/database/migrate.ts";
import { VERSION } from "../../platform/version.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const read = async () => (await world.admin.get("/v1/system")).body;
const findingOf = async (check: string) =>
  (await read()).findings.find((each: { check: string }) => each.check === check);

describe("GET /v1/system", () => {
  it("O1 returns versions, the size of the database and the last migration", async () => {
    const { status, body } = await world.admin.get("/v1/system");
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: VERSION, node: process.versions.node, instance_id: world.ctx.instance_id });
    expect(body.database.size_bytes).toBeGreaterThan(1_000_000);
    expect(body.database.schema_version).toBe(migrationNames().at(-1));
    expect(body.database.version).toMatch(/^\d+/);
  });

  it("O1 rejects an API key: it is not about a project", async () => {
    const { api } = await world.project();
    expect((await api.get("/v1/system")).status).toBe(403);
    expect((await world.anonymous.get("/v1/system")).status).toBe(401);
  });

  it("O1 counts ready, blocked and leased runs over all projects", async () => {
    const before = (await read()).queue;
    const { api } = await world.project();
    const { body: job } = await api.post("/v1/jobs", { name: "Late", endpoint_url: "https://example.com/" });
    await api.post(`/v1/jobs/${job.id}/trigger`, {});
    await api.post(`/v1/jobs/${job.id}/trigger`, { delay_secs: 3_600 });
    const { queue } = await read();
    expect(queue.ready - before.ready).toBe(1);
    expect(queue.blocked - before.blocked).toBe(1);
    expect(Date.parse(queue.oldest_ready_at)).toBeGreaterThan(0);
  });

  it("O1 names the leader of a reconciliation, and when its last pass ended", async () => {
    await runSql(
      world.connection,
      `insert into leaders values ('reconcile-queue', $1, 7, clock() - interval '5 seconds', clock() + interval '25 seconds')`,
      [world.ctx.instance_id],
    );
    const task = (await read()).tasks.find(({ name }: { name: string }) => name === "reconcile-queue");
    expect(task).toMatchObject({ holder: world.ctx.instance_id, passes: 7 });
    expect(Date.parse(task.next_due_at) - Date.parse(task.ended_at)).toBe(30_000);
    await runSql(world.connection, "update leaders set lease_until = clock() + interval '9 seconds'");
    expect((await read()).tasks[0].ended_at).toBeNull();
  });

  it("O1 reports unresponsive instances, and mixed versions", async () => {
    await world.tick("register-instance");
    expect(await findingOf("instances")).toMatchObject({ status: "ok" });
    const add = (version: string, ago: string) =>
      runSql(
        world.connection,
        `insert into instances values (gen_random_uuid(), '{api}', '${version}', 'b:1', clock(), clock() - interval '${ago}')`,
      );
    await add(VERSION, "40 seconds");
    expect(await findingOf("instances")).toMatchObject({ status: "warning", message: "1 not responding" });
    await add("9.9.9", "1 second");
    expect((await findingOf("instances")).message).toContain("9.9.9");
    const own = (await read()).instances.filter(({ is_this }: { is_this: boolean }) => is_this);
    expect(own).toHaveLength(1);
  });

  it("O1 reports outbox sources that fail, and those that no instance drains", async () => {
    const { id } = await world.project();
    expect(await findingOf("outbox sources")).toMatchObject({ status: "ok", message: "none are connected" });
    const source = await seedOutboxSource(world.connection, id);
    const change = (set: string) =>
      runSql(world.connection, `update outbox_sources set ${set} where id = $1`, [source]);
    await change("enabled = true, next_attempt_at = clock() + interval '30 seconds'");
    expect(await findingOf("outbox sources")).toMatchObject({ status: "ok", message: "all 1 are drained" });
    await change("consecutive_failures = 3, failing_since = clock() - interval '90 seconds'");
    const failing = await findingOf("outbox sources");
    expect(failing).toMatchObject({ status: "warning", message: expect.stringMatching(/^1 of 1 .* for 9\d s$/) });
    expect(failing.remedy).toContain("millrace outbox sources list");
    await change("next_attempt_at = clock() - interval '61 seconds'");
    expect(await findingOf("outbox sources")).toMatchObject({ status: "failed" });
    await change("enabled = false");
    expect(await findingOf("outbox sources")).toMatchObject({ status: "ok" });
  });

  it("O1 includes a remedy for each problem", async () => {
    expect((await read()).findings.map(({ check }: { check: string }) => check)).toContain("database clock");
    world.ctx.state.taskDueAt.set("slow-task", performance.now() - 61_000);
    expect(await findingOf("tasks")).toMatchObject({ status: "failed", message: "stuck: slow-task" });
    world.ctx.state.taskDueAt.clear();
    await runSql(
      world.connection,
      "update migrations set name = '9999-newer' where name = (select max(name) from migrations)",
    );
    expect(await findingOf("migrations")).toMatchObject({
      status: "warning",
      remedy: "Upgrade this instance.",
    });
    await world.clock.pass("2m");
    await world.ctx.watch.ping();
    expect(await findingOf("queue")).toMatchObject({ status: "failed" });
  });
});
