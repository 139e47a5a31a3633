import fc from "fast-check";
import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { recountedRollups, storedRollups } from "../../../../test/oracles/rollup-recount.ts";
import { appendRunChanges } from "../../../../test/seed/append-changes.ts";
import { testSeed } from "../../../../test/seed/seed.ts";
import { type SeedLife, seedLives } from "../../../../test/seed/seed-lives.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { Crash, type CrashAt, crashing } from "../../../../test/world/crashing.ts";
import { runSql } from "../../../../test/world/database.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { sumChanges } from "../../../engine/sum-changes.ts";

fc.configureGlobal({ seed: testSeed("roll-up-runs") });

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  // Before all seeded data: the log holds nothing more than a day older than its newest transaction.
  await world.clock.set("2030-06-09T00:00:00Z");
  while (await world.tick("sum-changes"));
});

type Place = Pick<SeedLife, "job_id" | "job_version_id" | "environment_id">;

async function places(project: TestProject): Promise<Place[]> {
  const environments: { id: string }[] = (await project.api.get("/v1/environments")).body.data;
  const jobs = [await seedJob(world.connection, project.id), await seedJob(world.connection, project.id)];
  return jobs.flatMap(({ id, version_id }) =>
    environments.slice(0, 2).map((each) => ({ job_id: id, job_version_id: version_id, environment_id: each.id })),
  );
}

const rollUp = async () => {
  while (await world.tick("sum-changes"));
};

async function expectExact(project: TestProject, atLeast = 1): Promise<void> {
  const stored = await storedRollups(world.connection, project.id);
  expect(stored).toEqual(await recountedRollups(world.connection, project.id));
  expect(stored.length).toBeGreaterThanOrEqual(atLeast);
}

const at = (text: string, ms = 0) => new Date(Date.parse(`2030-06-${text}Z`) + ms).toISOString();

/** The history of a run that begins within a week. */
const aLife = fc.record({
  place: fc.nat(3),
  created_ms: fc.integer({ min: Date.parse("2030-06-09T00:00:00Z"), max: Date.parse("2030-06-15T10:00:00Z") }),
  wait_ms: fc.option(fc.nat(90_000), { freq: 8 }),
  took_ms: fc.nat(3_600_000),
  retries: fc.nat(2),
  has_ended: fc.boolean(),
  status: fc.constantFrom("completed", "completed", "failed", "timed_out", "canceled"),
  trigger_type: fc.constantFrom("api", "cron", "event", "spawn"),
});

function lifeOf(drawn: typeof aLife extends fc.Arbitrary<infer T> ? T : never, where: Place[]): SeedLife {
  const iso = (ms: number) => new Date(ms).toISOString();
  const place = where[drawn.place];
  if (!place) throw new Error("no place");
  const { created_ms, wait_ms, took_ms, retries, has_ended, status, trigger_type } = drawn;
  const base = { ...place, created_at: iso(created_ms), trigger_type, status: status as "completed" };
  if (wait_ms === null) return has_ended ? { ...base, status: "canceled", ended_at: iso(created_ms + took_ms) } : base;
  const started = created_ms + wait_ms;
  const retried_at = Array.from({ length: retries }, (_, nth) => iso(started + (took_ms * (nth + 1)) / 3));
  const begun = { ...base, started_at: iso(started), retried_at };
  return has_ended ? { ...begun, ended_at: iso(started + took_ms) } : begun;
}

describe("rollups of runs", () => {
  it("N1 equal a plain recount, for any history, in any order of commits, whenever the consumer crashes", async () => {
    const crash: fc.Arbitrary<CrashAt | undefined> = fc.constantFrom(
      ...([undefined, undefined, 3, 4, 5, 6, "before commit", "after commit"] as const),
    );
    const commits = fc.array(fc.tuple(fc.array(aLife, { minLength: 1, maxLength: 12 }), crash), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(commits, async (drawn) => {
        const project = await world.project();
        const where = await places(project);
        for (const [lives, dies] of drawn) {
          await seedLives(
            world.connection,
            project.id,
            lives.map((life) => lifeOf(life, where)),
          );
          if (dies === undefined) await rollUp();
          else await sumChanges(crashing(world.ctx, dies)).catch((error) => expect(error).toBeInstanceOf(Crash));
        }
        await rollUp();
        await expectExact(project);
      }),
      { numRuns: sizeOf(3, 12) },
    );
  }, 120_000);

  it("count each transition once, however often the consumer crashes before or after its commit", async () => {
    const project = await world.project();
    const [place] = await places(project);
    if (!place) throw new Error("no place");
    const life = {
      ...place,
      created_at: at("15T09:00:10"),
      started_at: at("15T09:00:11"),
      ended_at: at("15T09:01:00"),
    };
    await seedLives(
      world.connection,
      project.id,
      Array.from({ length: 30 }, () => life),
    );
    for (const dies of [1, 2, 3, 4, 5, 6, "before commit"] as const) {
      await expect(sumChanges(crashing(world.ctx, dies))).rejects.toThrow(Crash);
      expect(await storedRollups(world.connection, project.id)).toEqual([]);
    }
    await expect(sumChanges(crashing(world.ctx, "after commit"))).rejects.toThrow(Crash);
    await expectExact(project);
    await rollUp();
    await expectExact(project);
  });

  it("count a late commit in the bucket in which it happened", async () => {
    const project = await world.project();
    const [place] = await places(project);
    if (!place) throw new Error("no place");
    const late = new pg.Client(world.connection);
    await late.connect();
    await late.query("begin");
    const [run_id] = await seedLives(world.connection, project.id, [{ ...place, created_at: at("14T07:00:00") }]);
    await late.query(
      `with logged as (
         insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
         values ($1, $2, 2, 'pending', 'canceled', 'canceled', 0, $3) returning *
       )
       ${appendRunChanges()}`,
      [project.id, run_id, at("14T07:30:00")],
    );
    await rollUp();
    await expectExact(project);
    await late.query("commit");
    await late.end();
    await rollUp();
    await expectExact(project);
    const found = await storedRollups(world.connection, project.id);
    expect(found.some((row) => row.startsWith("all 60 2030-06-14T07:30"))).toBe(true);
  });

  it("are exact when several instances run passes at once", async () => {
    const project = await world.project();
    const where = await places(project);
    const other = await world.anotherInstance();
    for (let nth = 0; nth < 6; nth++) {
      const lives = where.map((place) => ({
        ...{ ...place, created_at: at("15T08:00:00"), started_at: at("15T08:00:01") },
        ended_at: at("15T08:00:02", nth * 60_000),
      }));
      await seedLives(world.connection, project.id, lives);
    }
    await Promise.all([world.ctx, other.ctx, world.ctx, other.ctx].map((ctx) => sumChanges(ctx)));
    await rollUp();
    await expectExact(project, 6);
  });

  it("survive the removal of the runs they were built from", async () => {
    const project = await world.project();
    const [place] = await places(project);
    if (!place) throw new Error("no place");
    const life = {
      ...place,
      created_at: at("15T08:00:00"),
      started_at: at("15T08:00:01"),
      ended_at: at("15T08:00:02"),
    };
    await seedLives(world.connection, project.id, [life, life]);
    await rollUp();
    const before = await storedRollups(world.connection, project.id);
    await runSql(world.connection, "delete from runs where project_id = $1", [project.id]);
    for (let pass = 0; pass < 3; pass++) await world.tick("reconcile-rollups");
    await rollUp();
    expect(await storedRollups(world.connection, project.id)).toEqual(before);
  });
});
