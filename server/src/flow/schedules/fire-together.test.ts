import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteSchedules, type ScheduleBench, scheduleBench } from "../../../test/seed/schedules.ts";
import { captureStatements } from "../../../test/statements/sent-statements.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

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

/** `count` schedules that are due. */
async function due(count: number): Promise<Awaited<ReturnType<ScheduleBench["schedule"]>>[]> {
  const made = [];
  for (let nth = 0; nth < count; nth++) made.push(await bench.schedule({ payload: { nth } }));
  await world.clock.set("2030-01-01T12:01:00Z");
  return made;
}

describe("schedules of a project that are due at the same time", () => {
  it("R16 fire in one transaction, each with its own run and payload", async () => {
    const made = await due(20);
    const recording: string[] = [];
    const capture = captureStatements((text) => {
      if (text.includes("insert into schedule_fires")) recording.push(text);
    });
    await bench.tick();
    capture.stop();
    expect(recording).toHaveLength(1);
    for (const [nth, { id, job_id }] of made.entries()) {
      const [run, ...more] = await bench.runsOf(id);
      expect(more).toEqual([]);
      expect(run).toMatchObject({ job_id, payload: { nth }, created_by: `schedule:${id}`, trigger_type: "cron" });
      expect(await bench.firesOf(id)).toEqual([
        { at: "2030-01-01T12:01:00.000Z", outcome: "fired", run_id: run?.id, reason: null },
      ]);
      expect((await bench.shown(id)).next_fire_at).toBe("2030-01-01T12:02:00.000Z");
    }
  });

  it("R16 fire although some of them are refused, which are recorded as such", async () => {
    const made = await due(9);
    const [disabled, homeless] = [made[2], made[7]];
    await runSql(world.connection, "update jobs set enabled = false where id = $1", [disabled?.job_id]);
    await runSql(world.connection, "update schedules set environment_id = $2 where id = $1", [homeless?.id, newId()]);
    await bench.tick();
    for (const each of made) {
      const outcome = each === disabled || each === homeless ? "refused" : "fired";
      expect(await bench.firesOf(each.id)).toMatchObject([{ outcome }]);
      expect(await bench.runsOf(each.id)).toHaveLength(outcome === "fired" ? 1 : 0);
    }
  });

  it("R16 start nothing for a time that was recorded before", async () => {
    const [before, other] = await due(2);
    await runSql(
      world.connection,
      "insert into schedule_fires values ($1, $2, '2030-01-01T12:01:00Z', 'fired', null, 'before', clock())",
      [bench.project.id, before?.id],
    );
    await bench.tick();
    expect(await bench.runsOf(before?.id ?? "")).toEqual([]);
    expect(await bench.runsOf(other?.id ?? "")).toHaveLength(1);
    expect((await bench.shown(before?.id ?? "")).next_fire_at).toBe("2030-01-01T12:02:00.000Z");
  });

  it("R16 are refused once if their project was deleted", async () => {
    const made = await due(3);
    await world.admin.delete(`/v1/projects/${bench.project.id}`);
    await bench.tick();
    await bench.tick();
    for (const { id } of made) {
      expect(await bench.firesOf(id)).toMatchObject([{ outcome: "refused", reason: "The project was deleted." }]);
      expect(await bench.runsOf(id)).toEqual([]);
    }
  });
});
