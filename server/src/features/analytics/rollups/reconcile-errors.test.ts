import { beforeAll, describe, expect, it } from "vitest";
import { storedRollups } from "../../../../test/oracles/rollup-recount.ts";
import { recountedErrors } from "../../../../test/oracles/rollup-recount-others.ts";
import { seedErrorGroups } from "../../../../test/seed/seed-error-groups.ts";
import { type SeedLife, seedLives } from "../../../../test/seed/seed-lives.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { Crash, type CrashAt, crashing } from "../../../../test/world/crashing.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { reconcileRollups } from "./reconcile-rollups.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
});

const MINUTES = ["2030-06-15T11:30:00.000Z", "2030-06-15T11:41:00.000Z"];

async function seeded(messages = ["no stock for 17", "no stock for 18", 'no "plan"', "gone"], groups_before = 0) {
  const project = await world.project();
  const job = await seedJob(world.connection, project.id);
  const environment_id = (await project.api.get("/v1/environments/production")).body.id as string;
  const place = { job_id: job.id, job_version_id: job.version_id, environment_id };
  await seedErrorGroups(world.connection, { project_id: project.id, ...place }, groups_before);
  const lives = messages.map(
    (message, nth): SeedLife => ({
      ...{ ...place, created_at: "2030-06-15T11:29:00Z", started_at: "2030-06-15T11:29:01Z" },
      ...{
        retried_at: nth % 2 ? ["2030-06-15T11:30:05Z"] : [],
        ended_at: `2030-06-15T11:${nth % 3 ? "30" : "41"}:30Z`,
      },
      ...{ status: nth % 4 === 3 ? "timed_out" : "failed", error: { code: "http_500", message }, http_status: 500 },
    }),
  );
  const ids = await seedLives(world.connection, project.id, lives);
  while (await world.tick("sum-changes"));
  const check = async () => {
    for (const minute of MINUTES) await reconcileRollups(world.ctx, { project_id: project.id, minute });
  };
  const change = (text: string) => runSql<Record<string, unknown>>(world.connection, text, [project.id]);
  const stored = () => storedRollups(world.connection, project.id, "errors");
  const groups = () => change("select * from error_groups where project_id = $1 order by fingerprint");
  return {
    project,
    ids,
    check,
    change,
    stored,
    groups,
    recounted: () => recountedErrors(world.connection, project.id),
  };
}

async function repairs(): Promise<number> {
  const { values } = await world.ctx.metrics.repairs.get();
  return values.find(({ labels }) => labels.kind === "rollup")?.value ?? 0;
}

/** A restored group has the same runs as before, possibly in another order. */
function inAnyOrder(kinds: Record<string, unknown>[]) {
  return kinds.map(({ run_ids, ...kind }) => ({ ...kind, run_ids: (run_ids as string[]).toSorted() }));
}

describe("the reconciliation of rollups of failures", () => {
  it("finds nothing to repair where they equal a plain recount", async () => {
    const { check, stored, groups, recounted } = await seeded();
    const [all, kinds, before] = [await stored(), await groups(), await repairs()];
    expect(all).toEqual(await recounted());
    expect(all.length).toBeGreaterThan(6);
    await check();
    expect(await stored()).toEqual(all);
    expect(await groups()).toEqual(kinds);
    expect(await repairs()).toBe(before);
  });

  it("repairs minutes that are missing or too many, up to their days, and counts the repairs", async () => {
    const { check, change, stored, recounted } = await seeded();
    await change(
      `delete from rollups where project_id = $1 and series = 'errors' and part in (
         select min(part) from rollups where project_id = $1 and series = 'errors')`,
    );
    await change("update rollups set counts[2] = counts[2] + 7 where project_id = $1 and series = 'errors'");
    const before = await repairs();
    await check();
    expect(await stored()).toEqual(await recounted());
    expect(await repairs()).toBeGreaterThan(before);
  });

  it("repairs hours and days that are not the sum of their parts", async () => {
    const { check, change, stored, recounted } = await seeded();
    await change("update rollups set counts[1] = 9 where project_id = $1 and series = 'errors' and grain = 3600");
    await change("delete from rollups where project_id = $1 and series = 'errors' and grain = 86400");
    await check();
    expect(await stored()).toEqual(await recounted());
  });

  it("restores a missing group, and keeps the newest runs of the others", async () => {
    const { check, change, groups, stored, recounted } = await seeded();
    const before = await groups();
    await change(
      `delete from error_groups where project_id = $1 and fingerprint = '${String(before[0]?.fingerprint)}'::uuid`,
    );
    await check();
    const after = await groups();
    expect(after.slice(1)).toEqual(before.slice(1));
    expect(inAnyOrder(after)).toEqual(inAnyOrder(before));
    expect(await stored()).toEqual(await recounted());
  });

  it("changes nothing when it crashes at any point, and the next pass finishes the work", async () => {
    const { project, check, change, groups, stored, recounted } = await seeded();
    const kinds = inAnyOrder(await groups());
    await change("delete from error_groups where project_id = $1");
    await change("update rollups set counts[2] = counts[2] + 7 where project_id = $1 and series = 'errors'");
    const damaged = await stored();
    const die = async (at: CrashAt) => {
      const [minute = ""] = MINUTES;
      const dying = reconcileRollups(crashing(world.ctx, at), { project_id: project.id, minute });
      await expect(dying).rejects.toThrow(Crash);
    };
    const statements = Array.from({ length: 16 }, (_, nth) => nth + 1);
    for (const at of [...statements, "before commit"] as const) {
      await die(at);
      expect([await stored(), await groups()], `died at ${at}`).toEqual([damaged, []]);
    }
    await die("after commit");
    expect(await stored()).not.toEqual(damaged);
    await check();
    expect(await stored()).toEqual(await recounted());
    expect(inAnyOrder(await groups())).toEqual(kinds);
  });

  it("leaves counts in the group of other failures when a job has 500 groups", async () => {
    const word = (nth: number) => nth.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "");
    const kinds = Array.from({ length: 15 }, (_, nth) => `kind ${word(nth)}`);
    const { check, change, stored, project } = await seeded(kinds, 495);
    const all = await stored();
    await check();
    expect(await stored()).toEqual(all);
    await change("delete from rollups where project_id = $1 and series = 'errors'");
    await check();
    expect(await stored()).toEqual(all);
    const { body } = await project.api.get("/v1/analytics/errors?limit=1");
    expect(body.data[0]).toMatchObject({ message: "(other failures)", runs: 10 });
    expect(body.total.runs).toBe(15);
  });

  it.each([
    ["were removed", "delete from runs where project_id = $1"],
    [
      "had their messages erased",
      `update run_transitions set detail = jsonb_set(detail, '{error,message}', '"[deleted]"')
       where project_id = $1 and detail -> 'error' ? 'message'`,
    ],
  ])("keeps the counts of runs that %s", async (_, text) => {
    const { check, change, stored } = await seeded();
    const before = await stored();
    await change(text);
    await check();
    expect(await stored()).toEqual(before);
  });
});
