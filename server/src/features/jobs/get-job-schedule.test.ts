import { beforeAll, describe, expect, it } from "vitest";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { seedSchedule } from "../../../test/seed/seed-schedule.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-03-30T12:00:00Z");
});

describe("GET /v1/jobs/{jobID}/schedule", () => {
  it("R16 shows the next ten times of the job's own cron, in its time zone and across a clock change", async () => {
    const { id: project_id, api } = await world.project();
    const { id: job_id } = await seedJob(world.connection, project_id, { slug: "report" });
    await seedSchedule(world.connection, project_id, { job_id, cron: "0 30 8 * * *", timezone: "UTC" });
    await seedSchedule(world.connection, project_id, {
      job_id,
      cron: "30 2 * * *",
      timezone: "Europe/Berlin",
      is_default: true,
    });
    const response = await api.get(`/v1/jobs/${job_id}/schedule`);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      $schema: `${world.url}/schemas/JobSchedule.json`,
      job_id,
      cron: "30 2 * * *",
      timezone: "Europe/Berlin",
      paused: false,
      next_fire_times: [
        "2030-03-31T01:00:00.000Z",
        ...Array.from({ length: 9 }, (_, day) => `2030-04-0${day + 1}T00:30:00.000Z`),
      ],
    });
    expect((await api.get("/v1/jobs/report/schedule")).body).toEqual(response.body);
  });

  it("R16 shows that it is paused, and when it would fire", async () => {
    const { id: project_id, api } = await world.project();
    const { id, job_id } = await seedSchedule(world.connection, project_id, { is_default: true });
    await api.post(`/v1/schedules/${id}/pause`);
    const { body } = await api.get(`/v1/jobs/${job_id}/schedule`);
    expect([body.paused, body.next_fire_times[0]]).toEqual([true, "2030-03-31T00:00:00.000Z"]);
  });

  it("R16 404 for a job without a cron, even if it has schedules, and for an unknown job", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const { job_id } = await seedSchedule(world.connection, mine.id);
    const none = await mine.api.get(`/v1/jobs/${job_id}/schedule`);
    expect([none.status, none.body.detail]).toEqual([404, "There is no such schedule."]);
    const foreign = (await seedSchedule(world.connection, other.id, { is_default: true })).job_id;
    for (const id of [foreign, newId(), "no-such-job"]) {
      const response = await mine.api.get(`/v1/jobs/${id}/schedule`);
      expect([response.status, response.body.detail]).toEqual([404, "There is no such job."]);
    }
  });

  it("A11 R16 needs jobs:read, and a job visible to the key", async () => {
    const { id: project_id, api, newKey } = await world.project();
    const environmentOf = async (slug: string): Promise<string> => (await api.get(`/v1/environments/${slug}`)).body.id;
    const job = await seedJob(world.connection, project_id, { environment_id: await environmentOf("production") });
    await seedSchedule(world.connection, project_id, { job_id: job.id, is_default: true });
    const bound = await newKey({ environment_id: await environmentOf("staging") });
    expect((await bound.api.get(`/v1/jobs/${job.id}/schedule`)).status).toBe(404);
    const trigger = await newKey({ scopes: ["jobs:trigger"] });
    expect((await trigger.api.get(`/v1/jobs/${job.id}/schedule`)).body.code).toBe("scope_missing");
  });
});
