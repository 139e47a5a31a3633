import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteSchedules, type ScheduleBench, scheduleBench } from "../../../test/seed/schedules.ts";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { seedSchedule } from "../../../test/seed/seed-schedule.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { fireSchedules } from "./fire-schedules.ts";

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

describe("after an outage", () => {
  it("R16 fires once, for the newest time missed, and records how many were", async () => {
    const { id } = await bench.schedule();
    await world.clock.set("2030-01-01T12:30:20Z");
    while (await bench.tick());
    await bench.tick();
    expect(await bench.firesOf(id)).toMatchObject([
      { at: "2030-01-01T12:30:00.000Z", outcome: "fired", reason: "29 earlier times were missed" },
    ]);
    expect(await bench.runsOf(id)).toHaveLength(1);
    expect((await bench.shown(id)).next_fire_at).toBe("2030-01-01T12:31:00.000Z");
  });

  it("R16 records one missed time, and more than are counted", async () => {
    const [one, many] = [await bench.schedule(), await bench.schedule({ cron: "* * * * * *" })];
    await world.clock.set("2030-01-01T12:02:00Z");
    await bench.tick();
    await world.clock.set("2030-01-03T12:02:00Z");
    await bench.tick();
    expect((await bench.firesOf(one.id))[0]?.reason).toBe("1 earlier time was missed");
    expect((await bench.firesOf(many.id)).at(-1)).toMatchObject({
      at: "2030-01-03T12:02:00.000Z",
      reason: "at least 500 earlier times were missed",
    });
    expect((await bench.shown(many.id)).next_fire_at).toBe("2030-01-03T12:02:01.000Z");
  });

  it("R16 fires every missed time, one per pass, if the delay was too short to be an outage", async () => {
    const { id } = await bench.schedule({ cron: "* * * * * *" });
    await world.clock.set("2030-01-01T12:00:34.500Z");
    while (await bench.tick());
    expect((await bench.firesOf(id)).map((fire) => fire.at.slice(17, 19))).toEqual(["31", "32", "33", "34"]);
  });
});

describe("over a daylight saving change", () => {
  it.each([
    ["Europe/Berlin", "30 2 * * *", ["2030-03-30T01:30", "2030-03-31T01:00", "2030-04-01T00:30"]],
    ["Europe/Berlin", "30 2 * * *", ["2030-10-26T00:30", "2030-10-27T00:30", "2030-10-28T01:30"]],
    ["Australia/Lord_Howe", "15 2 * * *", ["2030-10-04T15:45", "2030-10-05T15:30", "2030-10-06T15:15"]],
    ["Australia/Lord_Howe", "45 1 * * *", ["2030-04-05T14:45", "2030-04-06T14:45", "2030-04-07T15:15"]],
  ])("R16 in %s %s fires at %j: never early, and once in a repeated hour", async (...given) => {
    const [timezone, cron, times] = given;
    await world.clock.set(`${times[0]?.slice(0, 10)}T00:00:00Z`);
    const { id } = await bench.schedule({ cron, timezone });
    for (const [index, time] of times.entries()) {
      for (const [instant, fired] of [
        [Date.parse(`${time}:00Z`) - 1, index],
        [Date.parse(`${time}:00Z`), index + 1],
        [Date.parse(`${time}:00Z`) + 3_600_000, index + 1],
      ] as const) {
        await world.clock.set(new Date(instant).toISOString());
        await bench.tick();
        expect(await bench.runsOf(id), new Date(instant).toISOString()).toHaveLength(fired);
      }
    }
    expect((await bench.firesOf(id)).map((fire) => fire.at.slice(0, 16))).toEqual(times);
  });
});

describe("concurrency", () => {
  it("R16 three concurrent instances fire six schedules exactly once for each scheduled time", async () => {
    const { id: job_id } = await seedJob(world.connection, bench.project.id);
    const seeded = Array.from({ length: 6 }, (_, index) =>
      seedSchedule(world.connection, bench.project.id, {
        job_id,
        cron: index % 2 ? "* * * * *" : "*/10 * * * * *",
        next_fire_at: "2030-01-01T12:01:00.000Z",
      }),
    );
    await Promise.all(seeded);
    const instances = [world, await world.anotherInstance(), await world.anotherInstance()];
    for (let step = 0; step <= 6; step++) {
      await world.clock.set(new Date(Date.parse("2030-01-01T12:01:00Z") + step * 10_000).toISOString());
      await Promise.all(instances.map(({ ctx }) => fireSchedules(ctx)));
    }
    const [count] = await runSql(
      world.connection,
      `select count(*)::int as fires, count(run_id)::int as started, count(distinct run_id)::int as runs,
         (select count(*)::int from runs where project_id = $1) as created,
         count(*) filter (where reason is not null)::int as missed
       from schedule_fires where project_id = $1`,
      [bench.project.id],
    );
    const expected = 3 * 2 + 3 * 7;
    expect(count).toEqual({ fires: expected, started: expected, runs: expected, created: expected, missed: 0 });
  });

  it("R16 due schedules are fired in pages: more after a hundred, none after the last", async () => {
    const { id: job_id } = await seedJob(world.connection, bench.project.id);
    await runSql(
      world.connection,
      `insert into schedules (project_id, id, job_id, cron, timezone, overlap_policy, next_fire_at, created_by, created_at, updated_at)
       select $1, gen_random_uuid(), $2, '0 * * * *', 'UTC', 'allow', '2030-01-01T12:00:30Z', 'seed', clock(), clock()
       from generate_series(1, 105)`,
      [bench.project.id, job_id],
    );
    const pass = () => world.tick("fire-schedules");
    expect([await pass(), await pass(), await pass()]).toEqual([true, false, false]);
    const [count] = await runSql(world.connection, "select count(*)::int as created from runs where job_id = $1", [
      job_id,
    ]);
    expect(count).toEqual({ created: 105 });
  });

  it("R16 if its job changes while a schedule fires, no scheduled time is missed or fired twice", async () => {
    const { id, job_id } = await bench.schedule({ cron: "* * * * * *" });
    const change = () => runSql(world.connection, "update jobs set revision = revision + 1 where id = $1", [job_id]);
    for (let second = 31; second <= 38; second++) {
      await world.clock.set(`2030-01-01T12:00:${second}Z`);
      await Promise.all([bench.tick(), change(), bench.tick(), change()]);
      await bench.tick();
    }
    expect((await bench.firesOf(id)).map((fire) => fire.outcome)).toEqual(Array(8).fill("fired"));
    expect(await bench.runsOf(id)).toHaveLength(8);
  });
});
