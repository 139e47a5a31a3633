import { beforeAll, describe, expect, it } from "vitest";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { whenBlocked } from "../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { keepDefaultSchedule, removeSchedulesOf } from "./keep-default-schedule.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T12:00:00Z");
  project = await world.project();
});

type Times = Partial<Omit<Parameters<typeof keepDefaultSchedule>[1], "project_id" | "job_id" | "workflow_id">>;

function keep(job_id: string, times: Times) {
  const job = { timezone: "UTC", overlap_policy: "allow", cron: "0 6 * * *" } as const;
  const by = { created_by: "tester", created_by_id: null };
  const place = { project_id: project.id, job_id };
  return inTransaction(world.ctx, (tx) => keepDefaultSchedule(tx, { ...job, ...by, ...times, ...place }));
}

async function schedulesOf(job_id: string) {
  return (await project.api.get(`/v1/schedules?job_id=${job_id}&order=asc`)).body.data;
}

const newJob = async () => (await seedJob(world.connection, project.id)).id;

describe("a job's own cron", () => {
  it("R16 is its default schedule", async () => {
    const job_id = await newJob();
    await keep(job_id, { timezone: "Europe/Berlin", overlap_policy: "skip" });
    expect(await schedulesOf(job_id)).toMatchObject([
      {
        job_id,
        is_default: true,
        name: null,
        cron: "0 6 * * *",
        timezone: "Europe/Berlin",
        overlap_policy: "skip",
        payload: {},
        created_by: "tester",
        next_fire_at: "2030-01-02T05:00:00.000Z",
      },
    ]);
  });

  it("R16 changes it and keeps the schedule's own fields: id, name, payload, pause", async () => {
    const job_id = await newJob();
    await keep(job_id, {});
    const [{ id }] = await schedulesOf(job_id);
    await project.api.patch(`/v1/schedules/${id}`, { name: "Own", payload: { own: 1 } });
    await keep(job_id, { cron: "@hourly", overlap_policy: "cancel_running" });
    const kept = { id, name: "Own", payload: { own: 1 }, cron: "@hourly", overlap_policy: "cancel_running" };
    expect(await schedulesOf(job_id)).toMatchObject([{ ...kept, next_fire_at: "2030-01-01T13:00:00.000Z" }]);
    await project.api.post(`/v1/schedules/${id}/pause`);
    await keep(job_id, { cron: "@daily" });
    expect(await schedulesOf(job_id)).toMatchObject([{ id, paused: true, cron: "@daily", next_fire_at: null }]);
  });

  it("R16 that is saved unchanged does not skip a due time", async () => {
    const job_id = await newJob();
    await keep(job_id, {});
    const due = "2030-01-01T11:59:00.000Z";
    await runSql(world.connection, "update schedules set next_fire_at = $2 where job_id = $1", [job_id, due]);
    await keep(job_id, { overlap_policy: "skip" });
    expect(await schedulesOf(job_id)).toMatchObject([{ overlap_policy: "skip", next_fire_at: due }]);
    await removed(job_id);
  });

  it("R16 of null removes it, and no other schedule of the job", async () => {
    const job_id = await newJob();
    await keep(job_id, {});
    const other = await project.api.post("/v1/schedules", { job_id, cron: "@daily" });
    await keep(job_id, { cron: null });
    await keep(job_id, { cron: null });
    expect(await schedulesOf(job_id)).toMatchObject([{ id: other.body.id }]);
  });

  it("R16 is one schedule, also when the job is saved twice concurrently", async () => {
    const job_id = await newJob();
    await keep(job_id, {});
    await Promise.all(["@hourly", "@daily", "@weekly", "@monthly"].map((cron) => keep(job_id, { cron })));
    expect(await schedulesOf(job_id)).toHaveLength(1);
  });
});

describe("a deleted job", () => {
  it("R16 deletes all its schedules, and no others", async () => {
    const [mine, other] = [await newJob(), await newJob()];
    for (const job_id of [mine, other]) await keep(job_id, {});
    await project.api.post("/v1/schedules", { job_id: mine, cron: "@daily" });
    await removed(mine);
    expect([(await schedulesOf(mine)).length, (await schedulesOf(other)).length]).toEqual([0, 1]);
  });

  it("R16 leaves none behind that is created meanwhile", async () => {
    const job_id = await newJob();
    let create: Promise<{ status: number; body: { errors: { location: string }[] } }> | undefined;
    await inTransaction(world.ctx, async (tx) => {
      await removeSchedulesOf(tx, { project_id: project.id, job_id });
      await sql`update jobs set deleted_at = clock() where project_id = ${project.id} and id = ${job_id}`.execute(
        tx.db,
      );
      create = project.api.post("/v1/schedules", { job_id, cron: "@daily" });
      await whenBlocked(world.connection);
    });
    const response = await create;
    expect([response?.status, response?.body.errors[0]?.location]).toEqual([422, "body.job_id"]);
  });
});

function removed(job_id: string) {
  return inTransaction(world.ctx, (tx) => removeSchedulesOf(tx, { project_id: project.id, job_id }));
}
