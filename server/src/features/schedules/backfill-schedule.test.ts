import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteSchedules, type ScheduleBench, scheduleBench } from "../../../test/seed/schedules.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { backfillNextFire } from "../../flow/schedules/backfill-fire.ts";
import { claimBatch } from "../../platform/batches/claim-batch.ts";

let world: World;
let bench: ScheduleBench;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  await deleteSchedules(world);
  await runSql(world.connection, "delete from batch_items");
  await runSql(world.connection, "delete from batch_operations");
  await world.clock.set("2030-01-10T12:00:30Z");
  bench = await scheduleBench(world);
});

const FROM = "2030-01-10T11:00:00Z";
const TO = "2030-01-10T11:05:00Z";

const backfill = (id: string, fields: object = {}) =>
  bench.project.api.post(`/v1/schedules/${id}/backfill`, { from: FROM, to: TO, ...fields });
const work = async () => {
  while (await world.tick("backfill-schedules"));
};
const timesOf = async (id: string) => (await bench.firesOf(id)).map(({ at }) => at.slice(11, 16));
const batchOf = async (id: string) => (await bench.project.api.get(`/v1/batch-operations/${id}`)).body;
const itemsOf = async (id: string) => (await bench.project.api.get(`/v1/batch-operations/${id}/items`)).body.data;
const endRuns = async (id: string) => {
  for (const run of await bench.runsOf(id)) await bench.project.api.post(`/v1/runs/${run.id}/cancel`);
};
const setEnabled = (job_id: string, enabled: boolean) =>
  runSql(world.connection, "update jobs set enabled = $2 where id = $1", [job_id, enabled]);

describe("POST /v1/schedules/{scheduleID}/backfill", () => {
  it("R26 starts a run for each time of the range, from the first to before the last, as a batch operation", async () => {
    const { id } = await bench.schedule({ payload: { n: 1 } }, { run_ttl_secs: 60 });
    const { status, body } = await backfill(id);
    expect([status, body.total, body.dry_run]).toEqual([200, 5, false]);
    await work();
    expect(await timesOf(id)).toEqual(["11:00", "11:01", "11:02", "11:03", "11:04"]);
    const runs = await bench.runsOf(id);
    expect(runs[0]).toMatchObject({ trigger_type: "cron", batch_id: body.batch_id, payload: { n: 1 } });
    expect(runs.map((run) => run.status)).toEqual(Array.from({ length: 5 }, () => "pending"));
    expect(await batchOf(body.batch_id)).toMatchObject({
      kind: "schedule_backfill",
      status: "completed",
      succeeded: 5,
    });
    expect((await itemsOf(body.batch_id))[1]).toMatchObject({
      target_id: runs[1]?.id,
      status: "succeeded",
      detail: { scheduled_for: "2030-01-10T11:01:00.000Z" },
    });
    const expiries = await runSql(world.connection, "select expires_at from run_queue where expires_at is not null");
    expect(expiries, "its times have passed long ago").toEqual([]);
  });

  it("lists the times with a dry run, and starts nothing", async () => {
    const { id } = await bench.schedule();
    const { body } = await backfill(id, { dry_run: true });
    expect(body).toMatchObject({ dry_run: true, batch_id: null, total: 5 });
    expect(body.fires[0]).toEqual({ scheduled_for: "2030-01-10T11:00:00.000Z", run_id: null });
    await work();
    expect(await bench.runsOf(id)).toEqual([]);
  });

  it("R26 never makes a second run for a time: repeated, overlapping, concurrent, and against fires of the schedule", async () => {
    const { id } = await bench.schedule();
    await world.clock.set("2030-01-10T12:01:00Z");
    await bench.tick();
    await world.clock.set("2030-01-10T12:01:30Z");
    const range = { from: "2030-01-10T11:58:00Z", to: "2030-01-10T12:01:00.001Z" };
    await Promise.all(Array.from({ length: 4 }, () => backfill(id, range)));
    const others = [world, await world.anotherInstance(), await world.anotherInstance()];
    await Promise.all(
      others.map(async ({ ctx }) => {
        for (;;) {
          const batch = await claimBatch(ctx, { kinds: ["schedule_backfill"], idle_secs: 0 });
          if (!batch) return;
          while ((await backfillNextFire(ctx, batch)) === "fired");
        }
      }),
    );
    expect(await timesOf(id)).toEqual(["11:58", "11:59", "12:00", "12:01"]);
    expect(await bench.runsOf(id)).toHaveLength(4);
    const { body } = await backfill(id, { ...range, dry_run: true });
    expect(body.fires.every(({ run_id }: { run_id: string | null }) => run_id !== null)).toBe(true);
  });

  it("makes up for times that were skipped or refused", async () => {
    const { id } = await bench.schedule();
    await runSql(
      world.connection,
      `insert into schedule_fires (project_id, schedule_id, scheduled_for, outcome, reason, created_at)
       values ($1, $2, '2030-01-10T11:02:00Z', 'skipped', 'a run had not ended', clock())`,
      [bench.project.id, id],
    );
    await backfill(id);
    await work();
    expect(await bench.runsOf(id)).toHaveLength(5);
    expect((await bench.firesOf(id)).every(({ outcome }) => outcome === "fired")).toBe(true);
  });

  it.each(["skip", "cancel_running"])("R26 with overlap_policy %s, makes one run at a time", async (overlap_policy) => {
    const { id } = await bench.schedule({ overlap_policy });
    const { body } = await backfill(id, { to: "2030-01-10T11:03:00Z" });
    for (let made = 1; made <= 3; made++) {
      await work();
      const runs = await bench.runsOf(id);
      expect([runs.length, runs.filter(({ status }) => status === "pending").length]).toEqual([made, 1]);
      expect(await batchOf(body.batch_id)).toMatchObject({ total: 3, processed: made, succeeded: made });
      await endRuns(id);
    }
    await work();
    expect(await batchOf(body.batch_id)).toMatchObject({ status: "completed", succeeded: 3, skipped: 0 });
  });

  it("stops when its batch operation is canceled", async () => {
    const { id } = await bench.schedule({ overlap_policy: "skip" });
    const { body } = await backfill(id);
    await work();
    expect((await bench.project.api.post(`/v1/batch-operations/${body.batch_id}/cancel`)).status).toBe(200);
    await endRuns(id);
    await work();
    expect(await bench.runsOf(id)).toHaveLength(1);
  });

  it("records a refused run with its error, and makes the others", async () => {
    const { id, job_id } = await bench.schedule();
    const { body } = await backfill(id);
    await setEnabled(job_id, false);
    await work();
    expect(await batchOf(body.batch_id)).toMatchObject({ status: "completed", failed: 5 });
    expect((await itemsOf(body.batch_id))[0].error).toMatchObject({ code: "job_disabled" });
    await setEnabled(job_id, true);
    await backfill(id);
    await work();
    expect(await bench.runsOf(id)).toHaveLength(5);
  });

  it("uses the time zone: the hour that clocks skip fires after it, and the one they repeat fires once", async () => {
    const fields = { cron: "30 2 * * *", timezone: "Europe/Berlin" };
    const timesIn = async (from: string, to: string) => {
      const { id } = await bench.schedule(fields);
      const { body } = await backfill(id, { from, to, dry_run: true });
      return body.fires.map(({ scheduled_for }: { scheduled_for: string }) => scheduled_for.slice(0, 16));
    };
    await world.clock.set("2030-04-02T00:00:00Z");
    expect(await timesIn("2030-03-30T00:00:00Z", "2030-04-01T23:00:00Z")).toEqual([
      "2030-03-30T01:30",
      "2030-03-31T01:00",
      "2030-04-01T00:30",
    ]);
    await world.clock.set("2030-10-29T00:00:00Z");
    expect(await timesIn("2030-10-26T00:00:00Z", "2030-10-28T23:00:00Z")).toEqual([
      "2030-10-26T00:30",
      "2030-10-27T00:30",
      "2030-10-28T01:30",
    ]);
  });

  it.each([
    [{ from: TO, to: FROM }, "body.to", "must be after"],
    [{ to: "2030-01-10T12:00:31Z" }, "body.to", "future"],
    [{ from: "1999-01-01T00:00:00Z" }, "body.from", "must not be before"],
    [{ max: 4 }, "body.max", "shorten"],
    [{ max: 1_001 }, "body.max", "1000"],
  ])("refuses %j", async (fields, location, message) => {
    const { id } = await bench.schedule();
    const { status, body } = await backfill(id, fields);
    expect([status, body.errors[0].location]).toEqual([422, location]);
    expect(body.errors[0].message).toContain(message);
  });

  it("needs the permission to trigger, and is found in its own project alone", async () => {
    const { id } = await bench.schedule();
    const { api } = await bench.project.newKey({ scopes: ["jobs:read", "jobs:write"] });
    expect((await api.post(`/v1/schedules/${id}/backfill`, { from: FROM, to: TO })).body.code).toBe("scope_missing");
    const other = await world.project();
    expect((await other.api.post(`/v1/schedules/${id}/backfill`, { from: FROM, to: TO })).status).toBe(404);
  });
});
