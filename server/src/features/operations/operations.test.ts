import { hostname } from "node:os";
import { namedSchemas } from "@millrace/contract/schema/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { startAtOnce } from "../../../test/world/start-at-once.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { VERSION } from "../../platform/version.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("GET /health", () => {
  it("O1 200 while the process is alive, without a credential", async () => {
    const response = await world.anonymous.get("/health");
    expect([response.status, response.body.status]).toEqual([200, "ok"]);
  });
});

describe("GET /schemas/{name}", () => {
  it("O7 serves every schema behind a $schema link, with references only to other served schemas", async () => {
    for (const name of namedSchemas.keys()) {
      const { status, headers, text, body } = await world.anonymous.get(`/schemas/${name}.json`);
      expect([name, status]).toEqual([name, 200]);
      expect(headers.get("content-type")).toMatch(/^application\/schema\+json/);
      expect(body).toMatchObject({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: `${name}.json`,
        title: name,
      });
      for (const [, ref] of text.matchAll(/"\$ref":"([^"]+)"/g)) {
        expect(namedSchemas.has(ref?.replace(/\.json$/, "") ?? "")).toBe(true);
      }
    }
  });

  it("O7 is the target of the link in a response", async () => {
    const { api } = await world.project();
    const { $schema } = (await api.get("/v1/environments")).body;
    const { body } = await world.anonymous.get(new URL($schema).pathname);
    expect(body.title).toBe("EnvironmentList");
  });

  it.each(["Nothing.json", "Project", "project.json", "..%2fpackage.json", "__proto__.json", "constructor.json"])(
    "404 for %s",
    async (name) => {
      expect((await world.anonymous.get(`/schemas/${name}`)).status).toBe(404);
    },
  );
});

describe("the tasks of the operations module", () => {
  it("register-instance registers this instance as alive, and removes one not seen for an hour", async () => {
    const instances = () => runSql<{ id: string; seen_at: Date }>(world.connection, "select * from instances");
    await runSql(
      world.connection,
      `insert into instances values (gen_random_uuid(), '{api}', '0', 'gone:1', clock(), clock() - interval '61 minutes')`,
    );
    await world.clock.set("2030-01-01T00:00:00.000Z");
    expect(await world.tick("register-instance")).toBe(false);
    expect(await instances()).toEqual([
      expect.objectContaining({
        id: world.ctx.instance_id,
        roles: ["api", "engine"],
        version: VERSION,
        address: `${hostname()}:0`,
      }),
    ]);
    await world.clock.pass("5s");
    await world.tick("register-instance");
    expect((await instances())[0]?.seen_at.toISOString()).toBe("2030-01-01T00:00:05.000Z");
  });

  it("registers an instance that stops cleanly as gone, and hides it", async () => {
    const other = await world.anotherInstance();
    startAtOnce(() => other.service.startTasks());
    const known = async () =>
      (await runSql(world.connection, "select gone_at from instances where id = $1", [other.ctx.instance_id]))[0];
    await until("the instance to be known", 20_000, known);
    expect(await known()).toEqual({ gone_at: null });
    await other.service.close();
    expect(await known()).toEqual({ gone_at: expect.any(Date) });
    const { body } = await world.admin.get("/v1/system");
    expect(body.instances.map(({ id }: { id: string }) => id)).not.toContain(other.ctx.instance_id);
  });

  it("remove-old-rows removes counters not touched for two minutes, in batches", async () => {
    const fill = (name: string, seconds: number, count: number) =>
      runSql(
        world.connection,
        `insert into ip_counters select $1, n::text, '{}', extract(epoch from clock())::bigint - $2
         from generate_series(1, $3::int) n`,
        [name, seconds, count],
      );
    await fill("old", 121, 5_001);
    await fill("young", 119, 1);
    const count = async () => (await runSql(world.connection, "select 1 from ip_counters")).length;
    expect([await world.tick("remove-old-rows"), await count()]).toEqual([true, 2]);
    expect([await world.tick("remove-old-rows"), await count()]).toEqual([false, 1]);
  });
});
