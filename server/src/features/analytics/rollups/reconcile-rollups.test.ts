import { beforeAll, describe, expect, it, vi } from "vitest";
import { deriveHistory } from "../../../../test/oracles/derive-history.ts";
import { recountedRollups, storedRollups } from "../../../../test/oracles/rollup-recount.ts";
import { seedLives } from "../../../../test/seed/seed-lives.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { Crash, crashing } from "../../../../test/world/crashing.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { sequenceChanges } from "../../../platform/changelog/sequence-changes.ts";
import { reconcileRollups } from "./reconcile-rollups.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
});

const MINUTE = "2030-06-15T11:30:00.000Z";

async function seeded() {
  const project = await world.project();
  const job = await seedJob(world.connection, project.id);
  const [environment] = (await project.api.get("/v1/environments")).body.data;
  const place = { job_id: job.id, job_version_id: job.version_id, environment_id: environment.id };
  const lives = Array.from({ length: 20 }, (_, nth) => ({
    ...place,
    created_at: `2030-06-15T11:30:${String(nth).padStart(2, "0")}Z`,
    started_at: `2030-06-15T11:30:30Z`,
    ended_at: `2030-06-15T11:${nth % 2 ? "30:59" : "41:07"}Z`,
  }));
  await seedLives(world.connection, project.id, lives);
  while (await world.tick("sum-changes"));
  const check = () => reconcileRollups(world.ctx, { project_id: project.id, minute: MINUTE });
  const isExact = async () =>
    expect(await storedRollups(world.connection, project.id)).toEqual(
      await recountedRollups(world.connection, project.id),
    );
  return { project, check, isExact, change: (text: string) => runSql(world.connection, text, [project.id]) };
}

async function repairs(): Promise<number> {
  const { values } = await world.ctx.metrics.repairs.get();
  return values.find(({ labels }) => labels.kind === "rollup")?.value ?? 0;
}

describe("the reconciliation of rollups", () => {
  it("finds nothing to repair in correct rollups", async () => {
    const { check, isExact } = await seeded();
    const before = await repairs();
    await check();
    await isExact();
    expect(await repairs()).toBe(before);
  });

  it("repairs rows that are missing, too many or misplaced, and counts the repairs", async () => {
    const { check, isExact, change } = await seeded();
    await isExact();
    const inMinute = "project_id = $1 and series = 'runs' and grain = 60 and bucket_at = '2030-06-15T11:30:00Z'";
    // As a bug in the consumer would cause: the minute and everything above it.
    await change("delete from rollups where project_id = $1 and split = 'trigger'");
    await change(
      `update rollups set counts[1] = counts[1] + 5 where project_id = $1 and split = 'all'
         and (grain <> 60 or bucket_at = '2030-06-15T11:30:00Z')`,
    );
    await change(`update rollups set sketch = null where ${inMinute} and split = 'job'`);
    const before = await repairs();
    await check();
    await reconcileRollups(world.ctx, {
      project_id: (await change("select $1::uuid as id"))[0]?.id as string,
      minute: "2030-06-15T11:41:00.000Z",
    });
    await isExact();
    expect(await repairs()).toBeGreaterThan(before);
  });

  it("repairs hours that are not the sum of their minutes, and days that are not the sum of their hours", async () => {
    const { check, isExact, change } = await seeded();
    await change(
      "update rollups set counts[2] = counts[2] + 7 where project_id = $1 and grain = 3600 and split = 'job'",
    );
    await change("delete from rollups where project_id = $1 and grain = 86400 and split in ('all', 'wait')");
    await check();
    await isExact();
  });

  it.each(["events", "webhooks"])(
    "repairs hours and days of %s that are not the sum of their parts, also after a crash halfway",
    async (series) => {
      const { project, check, change } = await seeded();
      const split = { events: "all", webhooks: "endpoint" }[series];
      for (const task of ["recount-events", "recount-webhooks"]) await world.tick(task);
      const counts = "array_fill(2, array[6])";
      await change(
        `insert into rollups (project_id, series, split, grain, bucket_at, subject_id, environment_id, part, counts, sketch)
         select $1, '${series}', '${split}', g.grain,
           g.at::timestamptz, $1, $1, 'p', ${counts} , '\\x0301'
         from (values (60, '2030-06-15T11:30Z'), (3600, '2030-06-15T11:00Z'), (86400, '2030-06-15Z')) g(grain, at)`,
      );
      const rows = () =>
        change(
          `select grain, counts, encode(sketch, 'hex') as sketch from rollups
           where project_id = $1 and series = '${series}' and part = 'p' order by 1`,
        );
      const right = await rows();
      await change(
        `update rollups set counts[2] = 9, sketch = null where project_id = $1 and grain = 3600 and part = 'p'`,
      );
      await change("delete from rollups where project_id = $1 and grain = 86400 and part = 'p'");
      const dying = crashing(world.ctx, "before commit");
      await expect(reconcileRollups(dying, { project_id: project.id, minute: MINUTE })).rejects.toThrow(Crash);
      await check();
      expect(await rows()).toEqual(right);
    },
  );

  it.each(["inbox", "changelog"])(
    "repairs nothing of a minute with a change in the %s that is not counted yet",
    async (where) => {
      const { project, check, isExact, change } = await seeded();
      await change(
        `update rollups set counts[1] = counts[1] + 5 where project_id = $1 and split = 'all'
           and (grain <> 60 or bucket_at = '2030-06-15T11:30:00Z')`,
      );
      const damaged = await storedRollups(world.connection, project.id);
      await change(
        `insert into changelog_inbox (project_id, kind, ids, ordinals, from_statuses, to_statuses, causes, attempts, created_at)
       values ($1, 'run', array[$1::uuid], '{1}', '{null}', '{pending}', '{created}', '{0}', '2030-06-15T11:30:30Z')`,
      );
      if (where === "changelog") await sequenceChanges(world.ctx);
      await check();
      expect(await storedRollups(world.connection, project.id)).toEqual(damaged);
      while (await world.tick("sum-changes"));
      await check();
      await reconcileRollups(world.ctx, { project_id: project.id, minute: "2030-06-15T11:41:00.000Z" });
      await isExact();
    },
  );

  it("counts derived transitions like stored ones", async () => {
    const { project, check } = await seeded();
    const before = { rows: await storedRollups(world.connection, project.id), repairs: await repairs() };
    expect(await deriveHistory(world.connection, project.id)).toBeGreaterThan(10);
    await check();
    expect({ rows: await storedRollups(world.connection, project.id), repairs: await repairs() }).toEqual(before);
  });

  it("leaves the counts of removed runs alone whose transitions were derived", async () => {
    const { project, check, change } = await seeded();
    const before = await storedRollups(world.connection, project.id);
    await deriveHistory(world.connection, project.id);
    await change(
      "delete from runs where project_id = $1 and derived_transitions > 0 and id < (select max(id::text)::uuid from runs)",
    );
    await change("insert into removed_runs (project_id, ended_before) values ($1, '2030-06-15T11:55:00Z')");
    await check();
    expect(await storedRollups(world.connection, project.id)).toEqual(before);
  });

  it("leaves the counts of removed runs alone", async () => {
    const { project, check, change } = await seeded();
    const before = await storedRollups(world.connection, project.id);
    await change("delete from runs where project_id = $1");
    await check();
    expect(await storedRollups(world.connection, project.id)).toEqual(before);
  });

  it("picks a random minute, and repairs it", async () => {
    const quiet = await makeWorld();
    await quiet.clock.set("2030-06-15T12:00:00Z");
    const project = await quiet.project();
    const job = await seedJob(quiet.connection, project.id);
    const [environment] = (await project.api.get("/v1/environments")).body.data;
    // A transition in every minute that can be picked together with this one.
    const created_at = new Date(Date.parse("2030-06-15T12:00:00Z") - 3 * 86_400_000).toISOString();
    const place = { job_id: job.id, job_version_id: job.version_id, environment_id: environment.id };
    await seedLives(quiet.connection, project.id, [{ ...place, created_at }]);
    while (await quiet.tick("sum-changes"));
    await runSql(quiet.connection, "delete from rollups where project_id = $1", [project.id]);
    const draw = vi.spyOn(Math, "random").mockReturnValue(0.5);
    await quiet.tick("reconcile-rollups");
    draw.mockRestore();
    const stored = await storedRollups(quiet.connection, project.id);
    expect(stored).toEqual(await recountedRollups(quiet.connection, project.id));
    expect(stored.length).toBeGreaterThan(0);
  });
});

describe("the removal of old rollups", () => {
  it("keeps minutes for days, hours for a year and days forever", async () => {
    const { project, change } = await seeded();
    const grains = async () =>
      (await change("select distinct grain from rollups where project_id = $1 order by 1")).map(({ grain }) => grain);
    await world.clock.set("2030-06-22T12:00:00Z");
    while (await world.tick("remove-old-rows"));
    expect(await grains()).toEqual([0, 60, 3_600, 86_400]);
    await world.clock.set("2030-06-23T12:00:00Z");
    while (await world.tick("remove-old-rows"));
    expect(await grains()).toEqual([0, 3_600, 86_400]);
    await world.clock.set("2031-08-01T12:00:00Z");
    while (await world.tick("remove-old-rows"));
    expect(await grains()).toEqual([0, 86_400]);
    expect(project.id).toBeDefined();
  });
});
