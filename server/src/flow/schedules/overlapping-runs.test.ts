import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteSchedules, type ScheduleBench, scheduleBench } from "../../../test/seed/schedules.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { cancelRun } from "../runs/stop/cancel-runs.ts";
import { fireSchedule } from "./fire-schedule.ts";
import { cancelOverlapping, listOverlapping } from "./overlapping-runs.ts";

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

async function fireAt(minute: number) {
  await world.clock.set(`2030-01-01T12:${`${minute}`.padStart(2, "0")}:00Z`);
  await bench.tick();
}

const statusesOf = async (id: string) => (await bench.runsOf(id)).map((run) => run.status);
const outcomesOf = async (id: string) => (await bench.firesOf(id)).map((fire) => fire.outcome);

async function end(run_id: string) {
  const order = {
    project_id: bench.project.id,
    run_id,
    cause: "canceled",
    reason: null,
    by: { id: null, name: "test" },
  } as const;
  expect((await cancelRun(world.ctx, order)).canceled).toBe(true);
}

/** The statuses of a run that has not ended. */
const LIVE: Record<string, string> = {
  running:
    "update runs set prev_status = status, status = 'running', transition_count = transition_count + 1 where id = $1",
  paused:
    "update runs set prev_status = status, status = 'paused', transition_count = transition_count + 1 where id = $1",
};

describe("a scheduled time while a run of the schedule has not ended", () => {
  it("R16 allow: starts another", async () => {
    const { id } = await bench.schedule({ overlap_policy: "allow" });
    await fireAt(1);
    await fireAt(2);
    expect(await statusesOf(id)).toEqual(["pending", "pending"]);
  });

  it("R16 skip: starts none and records it, until the run has ended", async () => {
    const { id } = await bench.schedule({ overlap_policy: "skip" });
    await fireAt(1);
    await fireAt(2);
    await fireAt(3);
    expect(await bench.firesOf(id)).toMatchObject([
      { outcome: "fired" },
      { outcome: "skipped", run_id: null, reason: "a run of the schedule had not ended" },
      { outcome: "skipped" },
    ]);
    const [run] = await bench.runsOf(id);
    expect(await bench.shown(id)).toMatchObject({ last_run_id: run?.id, last_fired_at: "2030-01-01T12:01:00.000Z" });
    await end(run?.id ?? "");
    await fireAt(4);
    expect(await outcomesOf(id)).toEqual(["fired", "skipped", "skipped", "fired"]);
    expect((await bench.shown(id)).next_fire_at).toBe("2030-01-01T12:05:00.000Z");
  });

  it.each(Object.keys(LIVE))("R16 skip: a run that is %s has not ended either", async (status) => {
    const { id } = await bench.schedule({ overlap_policy: "skip" });
    await fireAt(1);
    const [run] = await bench.runsOf(id);
    await runSql(world.connection, LIVE[status] ?? "", [run?.id]);
    await fireAt(2);
    expect(await outcomesOf(id)).toEqual(["fired", "skipped"]);
  });

  it("R16 skip: a manually requested run counts, one of another schedule does not", async () => {
    const [mine, other] = [await bench.schedule({ overlap_policy: "skip" }), await bench.schedule()];
    await bench.project.api.post(`/v1/schedules/${other.id}/run-now`);
    await fireAt(1);
    await end((await bench.runsOf(mine.id))[0]?.id ?? "");
    await bench.project.api.post(`/v1/schedules/${mine.id}/run-now`);
    await fireAt(2);
    expect(await outcomesOf(mine.id)).toEqual(["fired", "skipped"]);
  });

  it("R16 cancel_running: cancels all of them first, then starts the new one", async () => {
    const { id } = await bench.schedule({ overlap_policy: "cancel_running" });
    await fireAt(1);
    await bench.project.api.post(`/v1/schedules/${id}/run-now`);
    expect(await statusesOf(id)).toEqual(["pending", "pending"]);
    await fireAt(2);
    expect(await statusesOf(id)).toEqual(["canceled", "canceled", "pending"]);
    const [first] = await bench.runsOf(id);
    expect(first).toMatchObject({ error: { code: "overlap", message: expect.stringContaining("schedule") } });
    const logged = await runSql(world.connection, "select cause from run_history where run_id = $1 order by ordinal", [
      first?.id,
    ]);
    expect(logged).toEqual([{ cause: "created" }, { cause: "overlap" }]);
    await fireAt(3);
    expect(await statusesOf(id)).toEqual(["canceled", "canceled", "canceled", "pending"]);
  });

  it("R16 cancel_running: an instance that read the due time too late does not cancel the run started for it", async () => {
    const { id } = await bench.schedule({ overlap_policy: "cancel_running" });
    await fireAt(1);
    await world.clock.set("2030-01-01T12:02:00Z");
    const seen = {
      project_id: bench.project.id,
      id,
      workflow_id: null,
      overlap_policy: "cancel_running",
      next_fire_at: "2030-01-01T12:02:00.000Z",
    } as const;
    expect(await listOverlapping(world.ctx, seen)).toHaveLength(1);
    expect(await fireSchedule(world.ctx, seen)).toBe(true);
    expect(await listOverlapping(world.ctx, seen)).toEqual([]);
    await cancelOverlapping(world.ctx, seen);
    expect(await fireSchedule(world.ctx, seen)).toBe(false);
    expect(await statusesOf(id)).toEqual(["canceled", "pending"]);
  });

  it("R16 cancel_running: three instances leave one active run after every time", async () => {
    const ids = await Promise.all(
      Array.from({ length: 4 }, async () => (await bench.schedule({ overlap_policy: "cancel_running" })).id),
    );
    const instances = [world, await world.anotherInstance(), await world.anotherInstance()];
    for (let minute = 1; minute <= 3; minute++) {
      await world.clock.set(`2030-01-01T12:0${minute}:00Z`);
      const due = await runSql<{ id: string }>(
        world.connection,
        "select id from schedules where next_fire_at <= clock()",
      );
      const seen = due.map((each) => ({
        project_id: bench.project.id,
        id: each.id,
        workflow_id: null,
        overlap_policy: "cancel_running" as const,
        next_fire_at: `2030-01-01T12:0${minute}:00.000Z`,
      }));
      await Promise.all(instances.flatMap(({ ctx }) => seen.map((each) => fireSchedule(ctx, each))));
    }
    for (const id of ids) expect(await statusesOf(id)).toEqual(["canceled", "canceled", "pending"]);
  });
});
