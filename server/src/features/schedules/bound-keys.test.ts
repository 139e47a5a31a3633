import { beforeAll, describe, expect, it } from "vitest";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { seedSchedule } from "../../../test/seed/seed-schedule.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function projectWithJob() {
  const project = await world.project();
  return { ...project, job_id: (await seedJob(world.connection, project.id)).id };
}

const create = ({ api, job_id }: Awaited<ReturnType<typeof projectWithJob>>, fields: object = {}) =>
  api.post("/v1/schedules", { job_id, cron: "0 6 * * *", ...fields });

describe("a key bound to one environment", () => {
  async function boundTo(project: TestProject, slug: string) {
    const environment_id: string = (await project.api.get(`/v1/environments/${slug}`)).body.id;
    return { environment_id, ...(await project.newKey({ environment_id })) };
  }

  it("A2 R16 creates its schedules there, and cannot see or change others", async () => {
    const project = await projectWithJob();
    const { environment_id, api } = await boundTo(project, "staging");
    const elsewhere: string = (await project.api.get("/v1/environments/production")).body.id;
    const own = await create({ ...project, api });
    expect([own.status, own.body.environment_id]).toEqual([201, environment_id]);
    expect((await create({ ...project, api }, { environment_id })).status).toBe(201);
    for (const asked of [elsewhere, null]) {
      expect((await create({ ...project, api }, { environment_id: asked })).body.code).toBe("forbidden");
      expect((await api.patch(`/v1/schedules/${own.body.id}`, { environment_id: asked })).body.code).toBe("forbidden");
    }

    const others = [(await create(project)).body.id, (await create(project, { environment_id: elsewhere })).body.id];
    expect((await api.get("/v1/schedules")).body.data).toHaveLength(2);
    for (const id of others) {
      expect((await api.get(`/v1/schedules/${id}`)).status).toBe(404);
      expect((await api.patch(`/v1/schedules/${id}`, { name: "Mine" })).status).toBe(404);
      expect((await api.delete(`/v1/schedules/${id}`)).status).toBe(404);
      for (const verb of ["pause", "resume", "run-now"])
        expect((await api.post(`/v1/schedules/${id}/${verb}`)).status).toBe(404);
    }
  });

  it("A2 R16 sees the default schedule of a job in its environment, but not of a job that runs elsewhere", async () => {
    const project = await projectWithJob();
    const { environment_id, api } = await boundTo(project, "staging");
    const own_job = (await seedJob(world.connection, project.id, { environment_id })).id;
    const own = await seedSchedule(world.connection, project.id, { job_id: own_job, is_default: true });
    const shared = await seedSchedule(world.connection, project.id, { job_id: project.job_id, is_default: true });
    expect((await api.get("/v1/schedules")).body.data).toMatchObject([{ id: own.id, environment_id: null }]);
    expect((await api.get(`/v1/schedules/${shared.id}`)).status).toBe(404);
    expect((await api.post(`/v1/schedules/${own.id}/pause`)).body.paused).toBe(true);
  });

  it("A2 R16 422 for a job that it cannot see", async () => {
    const project = await projectWithJob();
    const { api } = await boundTo(project, "staging");
    const elsewhere: string = (await project.api.get("/v1/environments/production")).body.id;
    const hidden = (await seedJob(world.connection, project.id, { environment_id: elsewhere })).id;
    const refused = await create({ ...project, api }, { job_id: hidden });
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.job_id"]);
  });
});
