import { beforeAll, describe, expect, it } from "vitest";
import { listener } from "../../../test/oracles/published-events.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { notifyDueRotations } from "./notify-due-rotations.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
});

const notifyAll = async () => {
  while (await world.tick("notify-due-rotations"));
};

async function dueEvents({ id }: TestProject) {
  return runSql(
    world.connection,
    "select * from audit_events where project_id = $1 and action = 'api_key.rotation_due' order by created_at, id",
    [id],
  );
}

describe("a key whose rotation is due", () => {
  it("A10 is reported once by an audit event and a webhook, and again only after another rotation", async () => {
    const project = await world.project();
    const { id, key } = await project.newKey({ rotation_interval_days: 7 });
    const subscriber = await listener(world, project.id, { events: ["api_key.rotation_due"] });
    await world.clock.pass("167h59m59s");
    await notifyAll();
    expect(await subscriber.published()).toEqual([]);

    await world.clock.pass("1s");
    for (let pass = 0; pass < 3; pass++) await notifyAll();
    const [received, ...others] = await subscriber.published();
    expect(others).toEqual([]);
    expect(received).toMatchObject({
      type: "api_key.rotation_due",
      data: { id, rotation_due: true, status: "active" },
    });
    expect(JSON.stringify(received)).not.toContain(key.slice(12));
    expect(await dueEvents(project)).toMatchObject([
      { actor_kind: "service", resource_type: "api_key", resource_id: id, after: { rotation_due: true } },
    ]);

    await project.api.post(`/v1/api-keys/${id}/rotate`);
    await world.clock.pass("167h");
    await notifyAll();
    expect(await dueEvents(project)).toHaveLength(1);
    await world.clock.pass("1h");
    await notifyAll();
    expect(await dueEvents(project)).toHaveLength(2);
    expect(await subscriber.published()).toHaveLength(2);
  });

  it("is not reported when it has no interval, was revoked, has expired, or its project was deleted", async () => {
    const [project, gone] = [await world.project(), await world.project()];
    await project.newKey();
    const revoked = await project.newKey({ rotation_interval_days: 1 });
    await project.newKey({ rotation_interval_days: 1, expires_in_days: 1 });
    await gone.newKey({ rotation_interval_days: 1 });
    await project.api.delete(`/v1/api-keys/${revoked.id}`);
    await world.admin.delete(`/v1/projects/${gone.id}`);
    await world.clock.pass("24h");
    await notifyAll();
    expect(await dueEvents(project)).toEqual([]);
    expect(await dueEvents(gone)).toEqual([]);
  });

  it("is reported once when ten instances check at the same time", async () => {
    const project = await world.project();
    await project.newKey({ rotation_interval_days: 1 });
    const subscriber = await listener(world, project.id);
    await world.clock.pass("24h");
    await Promise.all(Array.from({ length: 10 }, () => notifyDueRotations(world.ctx)));
    expect(await dueEvents(project)).toHaveLength(1);
    expect(await subscriber.types()).toEqual(["api_key.rotation_due"]);
  });

  it("of an environment is delivered to subscribers of that environment or of all", async () => {
    const project = await world.project();
    const environment = async (slug: string) => (await project.api.get(`/v1/environments/${slug}`)).body.id;
    const [staging, production] = [await environment("staging"), await environment("production")];
    await project.newKey({ rotation_interval_days: 1, environment_id: staging });
    const [all, here, elsewhere] = [
      await listener(world, project.id),
      await listener(world, project.id, { environment_id: staging }),
      await listener(world, project.id, { environment_id: production }),
    ];
    await world.clock.pass("24h");
    await notifyAll();
    expect(await Promise.all([all, here, elsewhere].map(({ types }) => types()))).toEqual([
      ["api_key.rotation_due"],
      ["api_key.rotation_due"],
      [],
    ]);
  });

  it("is handled in batches of a hundred, and the task reports when more are waiting", async () => {
    const project = await world.project();
    await runSql(
      world.connection,
      `insert into api_keys (project_id, id, name, key_prefix, rotation_interval_days, rotated_at, rotation_due_at,
         created_by, created_at, updated_at)
       select $1, gen_random_uuid(), 'many', 'svc_', 1, clock() - interval '1 day', clock(), 'seed', clock(), clock()
       from generate_series(1, 101)`,
      [project.id],
    );
    expect(await world.tick("notify-due-rotations")).toBe(true);
    expect(await dueEvents(project)).toHaveLength(100);
    expect(await world.tick("notify-due-rotations")).toBe(false);
    expect(await dueEvents(project)).toHaveLength(101);
  });
});
