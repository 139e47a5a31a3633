import { beforeAll, describe, expect, it } from "vitest";
import { type SeedTrigger, seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const seed = (trigger: SeedTrigger, { id }: TestProject) => seedTrigger(world.connection, id, trigger);
const purge = ({ api }: Pick<TestProject, "api">, body: object) => api.post("/v1/events/purge", body);
const auditsOf = ({ id }: TestProject) =>
  runSql(
    world.connection,
    "select action, resource_type, resource_id, actor_id, after from audit_events where project_id = $1 and action like 'event_trigger%'",
    [id],
  );

/** One of each state that ended 10 days ago, one that ended just now, and one that is waiting. */
async function aged() {
  const project = await world.project();
  for (const status of ["received", "timed_out", "canceled"] as const)
    await seed({ status, ended_days_ago: 10 }, project);
  const young = await seed({ status: "received", ended_days_ago: 6.9 }, project);
  const waiting = await seed({}, project);
  return { project, young, waiting };
}

describe("POST /v1/events/purge", () => {
  it("T12 deletes triggers that ended more than the given number of days ago, and no others", async () => {
    const { project, young, waiting } = await aged();
    const response = await purge(project, { older_than_days: 7, dry_run: false });
    expect([response.status, response.body]).toEqual([
      200,
      { $schema: `${world.url}/schemas/EventsPurged.json`, dry_run: false, matched: 3, deleted: 3 },
    ]);
    const { data } = (await project.api.get("/v1/events")).body;
    expect(data.map(({ id }: { id: string }) => id).toSorted()).toEqual([young.id, waiting.id].toSorted());
    expect((await project.api.get("/v1/events/stats")).body).toMatchObject({
      ...{ waiting: 1, received: 1, timed_out: 0, canceled: 0 },
    });
    expect((await purge(project, { older_than_days: 7 })).body).toMatchObject({ matched: 0, deleted: 0 });
  });

  it("T12 with dry_run only counts", async () => {
    const { project } = await aged();
    const response = await purge(project, { older_than_days: 7, dry_run: true });
    expect(response.body).toMatchObject({ dry_run: true, matched: 3, deleted: 0 });
    expect((await project.api.get("/v1/events")).body.data).toHaveLength(5);
    expect(await auditsOf(project)).toEqual([]);
  });

  it("T12 with 0 days deletes all that have ended, and never a waiting one", async () => {
    const { project, waiting } = await aged();
    expect((await purge(project, { older_than_days: 0 })).body).toMatchObject({ matched: 4, deleted: 4 });
    expect((await project.api.get("/v1/events")).body.data).toMatchObject([{ id: waiting.id }]);
  });

  it("T12 deletes many in pages", async () => {
    const project = await world.project();
    const first = await seed({ status: "received", ended_days_ago: 10 }, project);
    await runSql(
      world.connection,
      `insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
         workflow_run_id, workflow_step_run_id, generation, status, prev_status, expires_at, requested_at, finished_at,
         created_at, updated_at)
       select project_id, gen_random_uuid(), 'k' || n, environment_id, 'workflow_step', 'event', 'event',
         gen_random_uuid(), gen_random_uuid(), 1, 'timed_out', 'waiting', expires_at, clock(), finished_at, created_at,
         clock()
       from event_triggers, generate_series(1, 2500) n where id = $1`,
      [first.id],
    );
    expect((await purge(project, { older_than_days: 1 })).body).toMatchObject({ matched: 2_501, deleted: 2_501 });
    expect((await project.api.get("/v1/events")).body.data).toEqual([]);
  });

  it("T12 is audited with its result", async () => {
    const { project } = await aged();
    await purge(project, { older_than_days: 7 });
    expect(await auditsOf(project)).toEqual([
      {
        action: "event_triggers.purged",
        resource_type: "project",
        resource_id: project.id,
        actor_id: project.key_id,
        after: { older_than_days: 7, environment_id: null },
      },
    ]);
  });

  it("A2 stays within the project, and within the environment of a bound key", async () => {
    const { project } = await aged();
    const other = await aged();
    const environment_id: string = (await project.api.get("/v1/environments/staging")).body.id;
    await seed({ environment_id, status: "canceled", ended_days_ago: 10 }, project);
    const bound = await project.newKey({ environment_id });
    expect((await purge(bound, { older_than_days: 7, dry_run: true })).body.matched).toBe(1);
    expect((await purge(bound, { older_than_days: 7 })).body.deleted).toBe(1);
    expect((await purge(project, { older_than_days: 7 })).body.deleted).toBe(3);
    expect((await other.project.api.get("/v1/events")).body.data).toHaveLength(5);
  });

  it.each([
    [{}, "body.older_than_days"],
    [{ older_than_days: -1 }, "body.older_than_days"],
    [{ older_than_days: 1.5 }, "body.older_than_days"],
    [{ older_than_days: 36_501 }, "body.older_than_days"],
    [{ older_than_days: 1, dry_run: "yes" }, "body.dry_run"],
    [{ older_than_days: 1, status: "received" }, "body.status"],
  ])("T12 422 for %j", async (body, location) => {
    const refused = await purge(await world.project(), body);
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, location]);
  });

  it("A11 needs events:write", async () => {
    const project = await world.project();
    const { api } = await project.newKey({ scopes: ["events:read", "events:send"] });
    expect((await purge({ api }, { older_than_days: 1 })).body.code).toBe("scope_missing");
  });
});
