import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteSchedules, type ScheduleBench, scheduleBench } from "../../../test/seed/schedules.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { recordFires } from "./record-fires.ts";

let world: World;
let bench: ScheduleBench;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  await deleteSchedules(world);
  await world.clock.set("2030-01-01T12:00:30Z");
  bench = await scheduleBench(world);
});

describe("a due schedule", () => {
  it("R16 fires at its time and not a moment before", async () => {
    const { id, job_id } = await bench.schedule({ payload: { n: 1 } });
    await world.clock.set("2030-01-01T12:00:59.999Z");
    await bench.tick();
    expect(await bench.runsOf(id)).toEqual([]);
    await world.clock.set("2030-01-01T12:01:00.000Z");
    expect(await bench.tick()).toBe(false);
    const [run, ...more] = await bench.runsOf(id);
    expect(more).toEqual([]);
    expect(run).toMatchObject({
      job_id,
      status: "pending",
      trigger_type: "cron",
      created_by: `schedule:${id}`,
      payload: { n: 1 },
      scheduled_at: new Date("2030-01-01T12:01:00Z"),
    });
    expect(await bench.firesOf(id)).toEqual([
      { at: "2030-01-01T12:01:00.000Z", outcome: "fired", run_id: run?.id, reason: null },
    ]);
    expect(await bench.shown(id)).toMatchObject({
      next_fire_at: "2030-01-01T12:02:00.000Z",
      last_fired_at: "2030-01-01T12:01:00.000Z",
      last_run_id: run?.id,
      updated_at: "2030-01-01T12:00:30.000Z",
    });
  });

  it("R16 fires once for each time, however often it is processed", async () => {
    const { id } = await bench.schedule();
    for (let minute = 1; minute <= 5; minute++) {
      await world.clock.set(`2030-01-01T12:0${minute}:00Z`);
      for (let again = 0; again < 3; again++) await bench.tick();
    }
    expect((await bench.firesOf(id)).map((fire) => fire.at.slice(11, 16))).toEqual([
      "12:01",
      "12:02",
      "12:03",
      "12:04",
      "12:05",
    ]);
    expect(await bench.runsOf(id)).toHaveLength(5);
  });

  it("R16 creates a run that is queued, logged and counted like any other", async () => {
    const { id } = await bench.schedule();
    const counted = async () => (await world.ctx.metrics.runTransitions.get()).values[0]?.value ?? 0;
    const before = await counted();
    await world.clock.pass("30s");
    await bench.tick();
    const [run] = await bench.runsOf(id);
    const queued = await runSql(world.connection, "select blocked_on from run_queue where run_id = $1", [run?.id]);
    const logged = await runSql(world.connection, "select to_status, cause from run_history where run_id = $1", [
      run?.id,
    ]);
    expect([queued, logged]).toEqual([[{ blocked_on: null }], [{ to_status: "pending", cause: "created" }]]);
    expect((await counted()) - before).toBe(1);
  });

  it("R16 may be a job's own cron, which is changed and removed with the job", async () => {
    const { api } = bench.project;
    const fields = { name: "Own times", endpoint_url: "https://jobs.example.com/", cron: "* * * * *" };
    const { id: job_id } = (await api.post("/v1/jobs", fields)).body;
    const [{ id, is_default }] = (await api.get(`/v1/schedules?job_id=${job_id}`)).body.data;
    expect(is_default).toBe(true);
    await world.clock.set("2030-01-01T12:01:00Z");
    await bench.tick();
    expect(await bench.runsOf(id)).toMatchObject([{ job_id, trigger_type: "cron", created_by: `schedule:${id}` }]);
    await api.patch(`/v1/jobs/${job_id}`, { cron: "*/30 * * * *", timezone: "Asia/Kathmandu" });
    expect(await bench.shown(id)).toMatchObject({ next_fire_at: "2030-01-01T12:15:00.000Z" });
    await api.delete(`/v1/jobs/${job_id}`);
    await world.clock.set("2030-01-01T12:15:00Z");
    await bench.tick();
    expect(await bench.runsOf(id)).toHaveLength(1);
    expect((await api.get(`/v1/schedules/${id}`)).status).toBe(404);
  });

  it("R16 of a paused job creates a blocked run", async () => {
    const { id, job_id } = await bench.schedule({}, { paused: true });
    await world.clock.pass("30s");
    await bench.tick();
    const [run] = await bench.runsOf(id);
    const queued = await runSql(world.connection, "select blocked_on from run_queue where run_id = $1", [run?.id]);
    expect(queued).toEqual([{ blocked_on: `paused_job:${job_id}` }]);
  });

  it("R16 of a debounced job creates a run for every time", async () => {
    const { id, job_id } = await bench.schedule();
    await runSql(
      world.connection,
      "update jobs set debounce_window_secs = 600, revision = revision + 1 where id = $1",
      [job_id],
    );
    for (const minute of ["01", "02"]) {
      await world.clock.set(`2030-01-01T12:${minute}:00Z`);
      await bench.tick();
    }
    expect((await bench.firesOf(id)).map((fire) => fire.outcome)).toEqual(["fired", "fired"]);
  });

  it("R16 does not fire while it is paused, and catches up on nothing when it is resumed", async () => {
    const { id } = await bench.schedule();
    await bench.project.api.post(`/v1/schedules/${id}/pause`);
    await world.clock.set("2030-01-01T12:10:30Z");
    await bench.tick();
    await bench.project.api.post(`/v1/schedules/${id}/resume`);
    await bench.tick();
    expect(await bench.firesOf(id)).toEqual([]);
    await world.clock.set("2030-01-01T12:11:00Z");
    await bench.tick();
    expect(await bench.firesOf(id)).toMatchObject([{ at: "2030-01-01T12:11:00.000Z", outcome: "fired", reason: null }]);
  });
});

describe("a time whose run is refused", () => {
  it.each([
    ["is disabled", "update jobs set enabled = false where id = $1", "The job is disabled: enable it to trigger it."],
    ["was deleted", "update jobs set deleted_at = clock() where id = $1", "There is no such job."],
  ])("R16 is recorded as refused when the job %s, and the schedule continues", async (_, statement, reason) => {
    const { id, job_id } = await bench.schedule();
    await runSql(world.connection, statement, [job_id]);
    await world.clock.set("2030-01-01T12:01:00Z");
    await bench.tick();
    await world.clock.set("2030-01-01T12:02:00Z");
    await bench.tick();
    const refused = { outcome: "refused", run_id: null, reason };
    expect(await bench.firesOf(id)).toEqual([
      { at: "2030-01-01T12:01:00.000Z", ...refused },
      { at: "2030-01-01T12:02:00.000Z", ...refused },
    ]);
    expect(await bench.runsOf(id)).toEqual([]);
    expect(await bench.shown(id)).toMatchObject({ next_fire_at: "2030-01-01T12:03:00.000Z", last_fired_at: null });
  });

  it("R16 is recorded as refused for a payload the job refuses, and for an environment that is gone", async () => {
    const unfit = await bench.schedule({}, { payload_schema: { type: "object", required: ["to"] } });
    const gone = await bench.schedule();
    await runSql(world.connection, "update schedules set environment_id = $2 where id = $1", [gone.id, newId()]);
    await world.clock.set("2030-01-01T12:01:00Z");
    await bench.tick();
    expect(await bench.firesOf(unfit.id)).toMatchObject([
      { outcome: "refused", reason: expect.stringContaining("payload_schema") },
    ]);
    expect(await bench.firesOf(gone.id)).toMatchObject([
      { outcome: "refused", reason: "The environment of the schedule was deleted." },
    ]);
  });

  it("R16 of a deleted project is refused once, and never again", async () => {
    const { id } = await bench.schedule();
    await world.admin.delete(`/v1/projects/${bench.project.id}`);
    for (const minute of ["01", "02"]) {
      await world.clock.set(`2030-01-01T12:${minute}:00Z`);
      await bench.tick();
    }
    expect(await bench.firesOf(id)).toMatchObject([{ outcome: "refused", reason: "The project was deleted." }]);
    expect(await bench.runsOf(id)).toEqual([]);
  });

  it("R16 that fails unexpectedly stays due, and does not delay the others", async () => {
    const [broken, good] = [await bench.schedule(), await bench.schedule()];
    const keys = (value: string) =>
      runSql(world.connection, "update jobs set rate_limit_keys = $2 where id = $1", [broken.job_id, value]);
    await keys("5");
    await world.clock.set("2030-01-01T12:01:00Z");
    expect(await bench.tick()).toBe(false);
    expect(await bench.firesOf(broken.id)).toEqual([]);
    expect(await bench.firesOf(good.id)).toMatchObject([{ outcome: "fired" }]);
    await keys("[]");
    await bench.tick();
    expect(await bench.firesOf(broken.id)).toMatchObject([{ at: "2030-01-01T12:01:00.000Z", outcome: "fired" }]);
  });

  it("R16 that was recorded before starts nothing, and the schedule moves on", async () => {
    const { id } = await bench.schedule();
    await runSql(
      world.connection,
      "insert into schedule_fires values ($1, $2, '2030-01-01T12:01:00Z', 'fired', null, 'before', clock())",
      [bench.project.id, id],
    );
    await world.clock.set("2030-01-01T12:01:00Z");
    await bench.tick();
    expect(await bench.runsOf(id)).toEqual([]);
    expect(await bench.shown(id)).toMatchObject({ next_fire_at: "2030-01-01T12:02:00.000Z", last_run_id: null });
    const again = await inTransaction(world.ctx, (tx) =>
      recordFires(tx, bench.project.id, [
        {
          schedule_id: id,
          scheduled_for: "2030-01-01T12:01:00.000Z",
          next_fire_at: "2030-01-01T12:02:00.000Z",
          outcome: "fired",
          run_id: newId(),
          reason: null,
        },
      ]),
    );
    expect([again.size, (await bench.shown(id)).last_run_id]).toEqual([0, null]);
  });
});
