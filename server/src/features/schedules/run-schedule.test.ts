import { beforeAll, describe, expect, it } from "vitest";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T12:00:00Z");
});

async function scheduled(fields: object = {}, job: Parameters<typeof seedJob>[2] = {}) {
  const project = await world.project();
  const { id: job_id } = await seedJob(world.connection, project.id, job);
  const created = await project.api.post("/v1/schedules", { job_id, cron: "0 * * * *", ...fields });
  if (created.status !== 201) throw new Error(created.text);
  return { ...project, job_id, schedule_id: created.body.id as string, path: `/v1/schedules/${created.body.id}` };
}

async function actionsOn(id: string) {
  const events = await runSql<{ action: string }>(
    world.connection,
    "select action from audit_events where resource_id = $1 order by id",
    [id],
  );
  return events.map((event) => event.action);
}

describe("POST /v1/schedules/{scheduleID}/run-now", () => {
  it("R16 returns a run with its trigger type, schedule, payload and caller", async () => {
    const { api, key_id, job_id, schedule_id, path } = await scheduled({ payload: { a: 1 } });
    const run = await api.post(`${path}/run-now`);
    expect(run.status).toBe(201);
    expect(run.body).toMatchObject({
      $schema: `${world.url}/schemas/StartedRun.json`,
      job_id,
      schedule_id,
      trigger_type: "cron",
      created_by: "test key",
      created_by_id: key_id,
      status: "pending",
      payload: { a: 1 },
      scheduled_at: "2030-01-01T12:00:00.000Z",
    });
    const { body } = await api.get(path);
    expect([body.last_run_id, body.last_fired_at, body.next_fire_at]).toEqual([
      run.body.id,
      "2030-01-01T12:00:00.000Z",
      "2030-01-01T13:00:00.000Z",
    ]);
    expect(await actionsOn(schedule_id)).toEqual(["schedule.created"]);
  });

  it("R16 uses the schedule's environment, else the job's, else production", async () => {
    const { api, id } = await world.project();
    const idOf = async (slug: string): Promise<string> => (await api.get(`/v1/environments/${slug}`)).body.id;
    const [production, staging, development] = await Promise.all(["production", "staging", "development"].map(idOf));
    const plain = (await seedJob(world.connection, id)).id;
    const inStaging = (await seedJob(world.connection, id, { environment_id: staging as string })).id;
    const runsIn = async (fields: object) => {
      const created = await api.post("/v1/schedules", { cron: "@daily", ...fields });
      return (await api.post(`/v1/schedules/${created.body.id}/run-now`)).body.environment_id;
    };
    expect(await runsIn({ job_id: plain })).toBe(production);
    expect(await runsIn({ job_id: inStaging })).toBe(staging);
    expect(await runsIn({ job_id: inStaging, environment_id: development })).toBe(development);
  });

  it("R16 works while the schedule is paused, and ignores its overlap policy", async () => {
    const { api, path } = await scheduled({ paused: true, overlap_policy: "skip" });
    const runs = [await api.post(`${path}/run-now`), await api.post(`${path}/run-now`)];
    expect(runs.map((run) => [run.status, run.body.status])).toEqual([
      [201, "pending"],
      [201, "pending"],
    ]);
    expect((await api.get(path)).body.next_fire_at).toBeNull();
  });

  it("R16 rejects what a trigger rejects: a disabled job, an invalid payload, a deleted environment", async () => {
    const disabled = await scheduled();
    await runSql(world.connection, "update jobs set enabled = false where id = $1", [disabled.job_id]);
    const refused = await disabled.api.post(`${disabled.path}/run-now`);
    expect([refused.status, refused.body.code]).toEqual([409, "job_disabled"]);

    const strict = await scheduled({}, { payload_schema: { type: "object", required: ["to"] } });
    const unfit = await strict.api.post(`${strict.path}/run-now`);
    expect([unfit.status, unfit.body.code]).toEqual([422, "payload_invalid"]);
    expect((await strict.api.get(strict.path)).body.last_run_id).toBeNull();

    const gone = await scheduled();
    await runSql(world.connection, "update schedules set environment_id = $2 where id = $1", [
      gone.schedule_id,
      newId(),
    ]);
    expect((await gone.api.post(`${gone.path}/run-now`)).status).toBe(409);
  });

  it("R16 requires jobs:trigger", async () => {
    const { newKey, path } = await scheduled();
    const writer = await newKey({ scopes: ["jobs:write"] });
    expect((await writer.api.post(`${path}/run-now`)).body.code).toBe("scope_missing");
    const trigger = await newKey({ scopes: ["jobs:trigger"] });
    expect((await trigger.api.post(`${path}/run-now`)).status).toBe(201);
  });
});

describe("POST /v1/schedules/{scheduleID}/pause", () => {
  it("R16 clears its next time; repeating it changes nothing", async () => {
    const { api, path, schedule_id } = await scheduled();
    const paused = await api.post(`${path}/pause`);
    expect(paused.body).toMatchObject({ paused: true, paused_at: "2030-01-01T12:00:00.000Z", next_fire_at: null });
    expect((await api.post(`${path}/pause`)).body).toEqual(paused.body);
    expect(await actionsOn(schedule_id)).toEqual(["schedule.created", "schedule.paused"]);
    const { api: otherProject } = await world.project();
    expect((await otherProject.post(`${path}/pause`)).status).toBe(404);
  });

  it("R16 works on a default schedule", async () => {
    const { api, path, schedule_id } = await scheduled();
    await runSql(world.connection, "update schedules set is_default = true where id = $1", [schedule_id]);
    expect((await api.post(`${path}/pause`)).body.paused).toBe(true);
    expect((await api.post(`${path}/resume`)).body.paused).toBe(false);
    expect((await api.post(`${path}/run-now`)).status).toBe(201);
  });
});

describe("POST /v1/schedules/{scheduleID}/resume", () => {
  it("R16 computes the next time from now; a schedule that is not paused stays unchanged", async () => {
    const { api, path, schedule_id } = await scheduled({ paused: true, cron: "*/10 * * * *" });
    const resumed = await api.post(`${path}/resume`);
    expect(resumed.body).toMatchObject({ paused: false, paused_at: null, next_fire_at: "2030-01-01T12:10:00.000Z" });
    expect((await api.post(`${path}/resume`)).body).toEqual(resumed.body);
    expect(await actionsOn(schedule_id)).toEqual(["schedule.created", "schedule.resumed"]);
  });
});
