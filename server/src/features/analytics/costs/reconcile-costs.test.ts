import { beforeAll, describe, expect, it, vi } from "vitest";
import { deriveHistory } from "../../../../test/oracles/derive-history.ts";
import { rollUpCosts } from "../../../../test/seed/roll-up-costs.ts";
import { type Dispatched, seedDispatched } from "../../../../test/seed/seed-dispatched.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { Crash, crashing } from "../../../../test/world/crashing.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { reconcileCosts } from "./reconcile-costs.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
});

const DAY = "2030-06-14";

/** Runs of two days with every kind of end, some over midnight, with keys, tags and reports. */
async function seeded() {
  const project = await world.project();
  const jobs = [await seedJob(world.connection, project.id), await seedJob(world.connection, project.id)];
  const runs = Array.from({ length: 40 }, (_, n) => ({
    job: jobs[n % 2] as Dispatched["job"],
    at: new Date(Date.parse("2030-06-13T22:00:00Z") + n * 2_233_123).toISOString(),
    tags: { team: `t${n % 3}` },
    ...(n % 2 === 0 && { concurrency_key: `customer-${n % 7}` }),
    dispatches: [
      { ms: 301_001 * (n % 9) + 7, to: n % 4 ? "completed" : "failed", ...(n % 3 === 0 && { cost: n, model: "m" }) },
    ],
  }));
  await seedDispatched(world.connection, project.id, runs);
  await rollUpCosts(world);
  const change = (text: string) => runSql(world.connection, text, [project.id]);
  const stored = () => change("select * from cost_rollups where project_id = $1 order by 2, 3, 4, 5, 6, 7, 8, 9");
  return { project, change, stored, check: () => reconcileCosts(world.ctx, { project_id: project.id, day: DAY }) };
}

async function repairs(): Promise<number> {
  const { values } = await world.ctx.metrics.repairs.get();
  return values.find(({ labels }) => labels.kind === "cost_rollup")?.value ?? 0;
}

const OF_DAY = "project_id = $1 and starts_at >= '2030-06-14Z' and starts_at < '2030-06-15Z'";

describe("the reconciliation of costs", () => {
  it("finds nothing to repair in correct rollups", async () => {
    const { check, stored } = await seeded();
    const [before, rows] = [await repairs(), await stored()];
    await check();
    expect(await stored()).toEqual(rows);
    expect(await repairs()).toBe(before);
  });

  it("N7 restores the recorded sums after any damage to a day, and counts the repairs", async () => {
    const { check, stored, change } = await seeded();
    const rows = await stored();
    await change(`delete from cost_rollups where ${OF_DAY} and kind = 'job' and grain = '1m'`);
    await change(`delete from cost_rollups where ${OF_DAY} and kind in ('created_by', 'model')`);
    await change(
      `update cost_rollups set wall_ms = wall_ms + 5, busy_ms = 1, longest_ms = 9 where ${OF_DAY} and grain = '1h'`,
    );
    await change(`update cost_rollups set reported_microusd = 77 where ${OF_DAY} and kind = 'concurrency_key'`);
    await change(
      `insert into cost_rollups (project_id, kind, grain, starts_at, environment_id, job_id, part, name, dispatches)
       select project_id, kind, grain, starts_at + interval '1 minute', environment_id, job_id, part, 'drained', 3
       from cost_rollups where project_id = $1 and kind = 'job' and grain = '1h' and starts_at = '2030-06-14T05:00Z'`,
    );
    expect(await stored()).not.toEqual(rows);
    const before = await repairs();
    await check();
    expect(await stored()).toEqual(rows);
    expect(await repairs()).toBeGreaterThan(before);
  });

  it("commits all or nothing when it crashes halfway, and repairs the day in the next pass", async () => {
    const { project, check, stored, change } = await seeded();
    const rows = await stored();
    await change(`update cost_rollups set dispatches = dispatches + 1 where ${OF_DAY} and kind <> 'tag'`);
    const damaged = await stored();
    for (const dies of [2, 4, 6, "before commit"] as const) {
      const dying = reconcileCosts(crashing(world.ctx, dies), { project_id: project.id, day: DAY });
      await expect(dying).rejects.toThrow(Crash);
      expect(await stored()).toEqual(damaged);
    }
    await check();
    expect(await stored()).toEqual(rows);
  });

  it.each(["run", "run_usage"])(
    "repairs nothing of a day with a change (%s) that is not recorded yet",
    async (kind) => {
      const { check, stored, change } = await seeded();
      const rows = await stored();
      await change(`update cost_rollups set dispatches = dispatches + 1 where ${OF_DAY} and kind <> 'tag'`);
      const damaged = await stored();
      await change(
        `insert into changelog_inbox (
         project_id, kind, ids, ordinals, from_statuses, to_statuses, causes, attempts, row_ids, created_at)
       values ($1, '${kind}', array[$1::uuid], '{3}', '{running}', '{completed}', '{completed}', '{1}', array[$1::uuid],
         '2030-06-14T05:00Z')`,
      );
      await check();
      expect(await stored()).toEqual(damaged);
      await rollUpCosts(world);
      await check();
      expect(await stored()).toEqual(rows);
    },
  );

  it("counts derived transitions like stored ones", async () => {
    const { project, check, stored } = await seeded();
    const before = { rows: await stored(), repairs: await repairs() };
    expect(await deriveHistory(world.connection, project.id)).toBeGreaterThan(10);
    await check();
    expect({ rows: await stored(), repairs: await repairs() }).toEqual(before);
  });

  it("leaves the sums of removed runs alone whose transitions were derived", async () => {
    const { project, check, stored, change } = await seeded();
    const before = await stored();
    await deriveHistory(world.connection, project.id);
    await change(
      "delete from runs where project_id = $1 and derived_transitions > 0 and id < (select max(id::text)::uuid from runs)",
    );
    await change(
      "delete from run_usage u where project_id = $1 and not exists (select 1 from runs r where r.id = u.run_id)",
    );
    await change("insert into removed_runs (project_id, ended_before) values ($1, '2030-06-15T11:55:00Z')");
    await check();
    expect(await stored()).toEqual(before);
  });

  it("leaves the sums of removed runs alone", async () => {
    const { check, stored, change } = await seeded();
    const rows = await stored();
    await change("delete from runs where project_id = $1");
    await check();
    expect(await stored()).toEqual(rows);
  });

  it("picks a random day, and repairs it", async () => {
    const { stored, change } = await seeded();
    const rows = await stored();
    await change(`delete from cost_rollups where ${OF_DAY} and kind = 'job'`);
    // 24 hours ago: a time of that day, of this project or of one that was seeded the same way.
    const draw = vi.spyOn(Math, "random").mockReturnValue(1 / 6);
    await runSql(world.connection, "delete from run_transitions where project_id <> $1", [rows[0]?.project_id]);
    await world.tick("reconcile-costs");
    draw.mockRestore();
    expect(await stored()).toEqual(rows);
  });
});
