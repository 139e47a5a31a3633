import { beforeAll, describe, expect, it } from "vitest";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { seedSchedule } from "../../../test/seed/seed-schedule.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T12:00:00Z");
});

async function projectWithJob() {
  const project = await world.project();
  const job = await seedJob(world.connection, project.id, { slug: "nightly" });
  return { ...project, job_id: job.id };
}

type Made = Awaited<ReturnType<typeof projectWithJob>>;
const create = ({ api, job_id }: Made, fields: object = {}) =>
  api.post("/v1/schedules", { job_id, cron: "0 6 * * *", ...fields });

async function auditsOf(id: string) {
  const events = await runSql<{ action: string }>(
    world.connection,
    "select action, actor_id, before, after from audit_events where resource_id = $1 order by id",
    [id],
  );
  return events;
}

const issuesOf = (response: { body: { errors: { location: string; message: string }[] } }) =>
  response.body.errors.map(({ location, message }) => `${location} ${message}`);

describe("POST /v1/schedules", () => {
  it("R16 returns every field, with the defaults", async () => {
    const project = await projectWithJob();
    const created = await create(project);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      $schema: `${world.url}/schemas/Schedule.json`,
      id: expect.any(String),
      project_id: project.id,
      name: null,
      job_id: project.job_id,
      workflow_id: null,
      is_default: false,
      cron: "0 6 * * *",
      timezone: "UTC",
      payload: {},
      overlap_policy: "allow",
      environment_id: null,
      paused: false,
      paused_at: null,
      next_fire_at: "2030-01-02T06:00:00.000Z",
      last_fired_at: null,
      last_run_id: null,
      created_by: "test key",
      created_by_id: expect.any(String),
      created_at: "2030-01-01T12:00:00.000Z",
      updated_at: "2030-01-01T12:00:00.000Z",
    });
  });

  it("R16 accepts a job's slug, several schedules per job, and every field", async () => {
    const project = await projectWithJob();
    const environment_id = (await project.api.get("/v1/environments/staging")).body.id;
    const fields = {
      name: "In Berlin",
      cron: "0 30 8 * * MON-FRI",
      timezone: "Europe/Berlin",
      payload: { report: [1, "two", null] },
      overlap_policy: "skip",
      environment_id,
    };
    const created = await create(project, { ...fields, job_id: "nightly" });
    expect(created.body).toMatchObject({ ...fields, job_id: project.job_id, next_fire_at: "2030-01-02T07:30:00.000Z" });
    expect((await create(project)).status).toBe(201);
  });

  it("R16 can be created paused, without a next time", async () => {
    const { body } = await create(await projectWithJob(), { paused: true });
    expect(body).toMatchObject({ paused: true, paused_at: "2030-01-01T12:00:00.000Z", next_fire_at: null });
  });

  it.each([
    [{ cron: "61 * * * *" }, "body.cron is not a cron expression: Invalid value for minute: 61"],
    [{ cron: "* * * *" }, "body.cron has 4 fields; it needs five, or six with the seconds first"],
    [{ cron: "0 0 30 2 *" }, "body.cron never fires: there is no such day"],
    [{ cron: "2030-01-01T00:00:00" }, "body.cron has 1 fields; it needs five, or six with the seconds first"],
    [{ timezone: "Mars/Olympus" }, "body.timezone must be an IANA time zone such as Europe/Berlin"],
    [{ timezone: "+01:00" }, "body.timezone must be an IANA time zone such as Europe/Berlin"],
    [{ job_id: "no-such-job" }, "body.job_id is not a job of this project"],
    [{ job_id: newId() }, "body.job_id is not a job of this project"],
    [{ environment_id: newId() }, "body.environment_id is not an environment of this project"],
  ])("R16 422 with the location for %j", async (fields, issue) => {
    const response = await create(await projectWithJob(), fields);
    expect([response.status, issuesOf(response)]).toEqual([422, [issue]]);
  });

  it.each([
    [{ cron: undefined }, "body.cron"],
    [{ cron: "" }, "body.cron"],
    [{ cron: 5 }, "body.cron"],
    [{ cron: "x".repeat(257) }, "body.cron"],
    [{ job_id: undefined }, "body.job_id"],
    [{ overlap_policy: "queue" }, "body.overlap_policy"],
    [{ name: " " }, "body.name"],
    [{ is_default: true }, "body.is_default"],
    [{ workflow_id: newId() }, "body.workflow_id"],
  ])("R16 422 by the schema for %j", async (fields, location) => {
    const response = await create(await projectWithJob(), fields);
    expect([response.status, response.body.errors[0].location]).toEqual([422, location]);
  });

  it("R16 422 for a job or environment of another project, and for a deleted job", async () => {
    const [mine, other] = [await projectWithJob(), await projectWithJob()];
    const environment_id = (await other.api.get("/v1/environments/staging")).body.id;
    expect(issuesOf(await create(mine, { job_id: other.job_id }))).toEqual([
      "body.job_id is not a job of this project",
    ]);
    expect((await create(mine, { environment_id })).body.errors[0].location).toBe("body.environment_id");
    await runSql(world.connection, "update jobs set deleted_at = clock() where id = $1", [mine.job_id]);
    expect((await create(mine)).body.errors[0].location).toBe("body.job_id");
  });

  it("R16 is audited, and requires jobs:write", async () => {
    const project = await projectWithJob();
    const { id } = (await create(project)).body;
    expect(await auditsOf(id)).toMatchObject([
      { action: "schedule.created", actor_id: project.key_id, before: null, after: { id, cron: "0 6 * * *" } },
    ]);
    const { api } = await project.newKey({ scopes: ["jobs:read", "jobs:trigger"] });
    expect((await create({ ...project, api })).body.code).toBe("scope_missing");
  });
});

describe("GET /v1/schedules", () => {
  it("R16 lists in pages, filtered by job and by paused", async () => {
    const project = await projectWithJob();
    const other_job = (await seedJob(world.connection, project.id)).id;
    const one = (await create(project)).body.id;
    const two = (await create(project, { paused: true })).body.id;
    const three = (await create(project, { job_id: other_job })).body.id;
    const listed = async (query: string) =>
      (await project.api.get(`/v1/schedules?order=asc${query}`)).body.data.map((each: { id: string }) => each.id);

    expect(await listed("")).toEqual([one, two, three]);
    expect(await listed(`&job_id=${project.job_id}`)).toEqual([one, two]);
    expect(await listed("&job_id=nightly&paused=true")).toEqual([two]);
    expect(await listed("&paused=false")).toEqual([one, three]);
    const page = await project.api.get("/v1/schedules?order=asc&limit=2");
    expect(page.body.has_more).toBe(true);
    expect(await listed(`&limit=2&cursor=${page.body.next_cursor}`)).toEqual([three]);
    expect((await project.api.get("/v1/schedules?paused=maybe")).status).toBe(422);
  });
});

describe("GET /v1/schedules/{scheduleID}", () => {
  it("R16 returns what was created; 404 for another project's and for an invalid id", async () => {
    const [mine, other] = [await projectWithJob(), await projectWithJob()];
    const { body } = await create(mine);
    expect((await mine.api.get(`/v1/schedules/${body.id}`)).body).toEqual(body);
    for (const [api, id] of [
      [other.api, body.id],
      [mine.api, newId()],
      [mine.api, "nightly"],
    ] as const) {
      const response = await api.get(`/v1/schedules/${id}`);
      expect([response.status, response.body.detail]).toEqual([404, "There is no such schedule."]);
    }
  });
});

describe("PATCH /v1/schedules/{scheduleID}", () => {
  it("R16 changes the given fields; a new expression counts from now", async () => {
    const project = await projectWithJob();
    const { body } = await create(project);
    const patch = (fields: object) => project.api.patch(`/v1/schedules/${body.id}`, fields);
    expect((await patch({ timezone: "Asia/Tokyo" })).body.next_fire_at).toBe("2030-01-01T21:00:00.000Z");
    expect((await patch({ cron: "@hourly" })).body.next_fire_at).toBe("2030-01-01T13:00:00.000Z");
    const named = await patch({ name: "Hourly", payload: { a: 1 }, overlap_policy: "cancel_running" });
    expect(named.body).toMatchObject({ name: "Hourly", payload: { a: 1 }, overlap_policy: "cancel_running" });
    expect((await patch({ name: null })).body).toMatchObject({ name: null, payload: { a: 1 }, cron: "@hourly" });
    expect((await auditsOf(body.id)).at(-1)).toMatchObject({
      action: "schedule.updated",
      before: { name: "Hourly" },
      after: { name: null },
    });
  });

  it("R16 keeps a time that is due right now if the expression stays", async () => {
    const project = await projectWithJob();
    const due = "2030-01-01T11:59:59.000Z";
    const { id } = await seedSchedule(world.connection, project.id, { next_fire_at: due });
    const { body } = await project.api.get(`/v1/schedules/${id}`);
    const edited = await project.api.patch(`/v1/schedules/${id}`, { ...body, payload: { edited: true } });
    expect([edited.status, edited.body.next_fire_at, edited.body.payload]).toEqual([200, due, { edited: true }]);
    await project.api.delete(`/v1/schedules/${id}`);
  });

  it("R16 a paused schedule stays paused, without a next time", async () => {
    const project = await projectWithJob();
    const { body } = await create(project, { paused: true });
    const after = await project.api.patch(`/v1/schedules/${body.id}`, { cron: "@daily" });
    expect(after.body).toMatchObject({ cron: "@daily", paused_at: body.paused_at, next_fire_at: null });
  });

  it("R16 accepts an environment's slug and stores its id", async () => {
    const project = await projectWithJob();
    const idOf = async (slug: string) => (await project.api.get(`/v1/environments/${slug}`)).body.id;
    const { body } = await create(project, { environment_id: "staging" });
    expect(body.environment_id).toBe(await idOf("staging"));
    const patch = (environment_id: string) => project.api.patch(`/v1/schedules/${body.id}`, { environment_id });
    expect((await patch("staging")).body.updated_at).toBe(body.updated_at);
    expect((await patch("development")).body.environment_id).toBe(await idOf("development"));
    expect((await patch("nowhere")).body.errors[0].location).toBe("body.environment_id");
  });

  it("R16 an update that changes nothing writes no audit event", async () => {
    const project = await projectWithJob();
    const { body } = await create(project);
    expect((await project.api.patch(`/v1/schedules/${body.id}`, { cron: body.cron })).status).toBe(200);
    expect((await project.api.patch(`/v1/schedules/${body.id}`, {})).body.updated_at).toBe(body.updated_at);
    expect(await auditsOf(body.id)).toHaveLength(1);
  });

  it.each([
    [{ cron: "nonsense" }, "body.cron"],
    [{ cron: "0 0 31 2 *" }, "body.cron"],
    [{ timezone: "Nowhere" }, "body.timezone"],
    [{ environment_id: newId() }, "body.environment_id"],
    [{ job_id: newId() }, "body.job_id"],
    [{ next_fire_at: "2031-01-01T00:00:00.000Z" }, "body.next_fire_at"],
    [{ paused: true }, "body.paused"],
  ])("R16 422 with the location for %j", async (fields, location) => {
    const project = await projectWithJob();
    const { id } = (await create(project)).body;
    const response = await project.api.patch(`/v1/schedules/${id}`, fields);
    expect([response.status, response.body.errors[0].location]).toEqual([422, location]);
  });

  it("R16 409 for the times and the policy of a default schedule; its payload can be changed", async () => {
    const project = await projectWithJob();
    const { id } = await seedSchedule(world.connection, project.id, { job_id: project.job_id, is_default: true });
    const patch = (fields: object) => project.api.patch(`/v1/schedules/${id}`, fields);
    for (const [name, value] of Object.entries({ cron: "@daily", timezone: "Asia/Tokyo", overlap_policy: "skip" })) {
      const response = await patch({ [name]: value });
      expect([response.status, response.body.code, response.body.errors[0].location]).toEqual([
        409,
        "schedule_is_default",
        `body.${name}`,
      ]);
    }
    const { body } = await project.api.get(`/v1/schedules/${id}`);
    const changed = await patch({ ...body, name: "Own", payload: { own: true } });
    expect([changed.status, changed.body.name, changed.body.payload]).toEqual([200, "Own", { own: true }]);
  });
});

describe("DELETE /v1/schedules/{scheduleID}", () => {
  it("R16 deletes it with its history, and is audited", async () => {
    const project = await projectWithJob();
    const { id } = (await create(project)).body;
    await runSql(
      world.connection,
      "insert into schedule_fires values ($1, $2, clock(), 'skipped', null, 'test', clock())",
      [project.id, id],
    );
    expect((await project.api.delete(`/v1/schedules/${id}`)).status).toBe(204);
    expect((await project.api.delete(`/v1/schedules/${id}`)).status).toBe(404);
    expect((await auditsOf(id)).at(-1)).toMatchObject({ action: "schedule.deleted", before: { id }, after: null });
  });

  it("R16 409 for a default schedule", async () => {
    const project = await projectWithJob();
    const { id } = await seedSchedule(world.connection, project.id, { is_default: true });
    const response = await project.api.delete(`/v1/schedules/${id}`);
    expect([response.status, response.body.code]).toEqual([409, "schedule_is_default"]);
  });
});

describe("GET /v1/schedules/upcoming", () => {
  it("lists when active schedules fire within some hours, in their time zones", async () => {
    const project = await projectWithJob();
    await create(project, { cron: "0 3 * * *", timezone: "Europe/Berlin" });
    const often = (await create(project, { cron: "* * * * *" })).body.id;
    await create(project, { cron: "0 0 1 6 *" });
    await create(project, { cron: "0 13 * * *", paused: true });
    const { status, body } = await project.api.get("/v1/schedules/upcoming?hours=48");
    expect([status, body.from, body.to]).toEqual([200, "2030-01-01T12:00:00.000Z", "2030-01-03T12:00:00.000Z"]);
    expect(body.data).toMatchObject([
      { schedule_id: often, has_more: true },
      { fire_times: ["2030-01-02T02:00:00.000Z", "2030-01-03T02:00:00.000Z"], has_more: false },
    ]);
    expect(body.data[0].fire_times).toHaveLength(200);
    const one = (await project.api.get(`/v1/schedules/upcoming?hours=1&schedule_id=${often}`)).body.data;
    expect(one.map(({ fire_times }: { fire_times: string[] }) => fire_times.length)).toEqual([59]);
    expect((await (await projectWithJob()).api.get("/v1/schedules/upcoming")).body.data).toEqual([]);
  });
});
