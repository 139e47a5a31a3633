import { beforeAll, describe, expect, it } from "vitest";
import { recountedRollups, storedRollups } from "../../../../test/oracles/rollup-recount.ts";
import { type SeedLife, seedLives } from "../../../../test/seed/seed-lives.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-04-01T00:00:00Z");
  while (await world.tick("sum-changes"));
});

const NOW = "2030-06-15T12:00:00Z";

async function aPlace() {
  const project = await world.project();
  const job = await seedJob(world.connection, project.id);
  const [environment] = (await project.api.get("/v1/environments")).body.data;
  const place = { job_id: job.id, job_version_id: job.version_id, environment_id: environment.id as string };
  const rollUp = async (lives: SeedLife[]) => {
    await seedLives(world.connection, project.id, lives);
    while (await world.tick("sum-changes"));
  };
  return { project, place, rollUp };
}

const iso = (ms: number) => new Date(ms).toISOString();

describe("transitions summed up by the database", () => {
  it("older than the retention of minutes go straight into hours, exactly", async () => {
    await world.clock.set(NOW);
    const { project, place, rollUp } = await aPlace();
    const lives = Array.from({ length: 60 }, (_, nth) => {
      const began = Date.parse(NOW) - 86_400_000 - nth * 12 * 3_600_000;
      return {
        ...place,
        created_at: iso(began),
        started_at: iso(began + 70 * nth),
        ended_at: iso(began + 7_001 * nth),
      };
    });
    await rollUp(lives);
    const isMinute = (line: string) => line.split(" ")[1] === "60";
    const [stored, recounted] = [
      await storedRollups(world.connection, project.id),
      await recountedRollups(world.connection, project.id),
    ];
    expect(stored.filter((line) => !isMinute(line))).toEqual(recounted.filter((line) => !isMinute(line)));
    const kept = (line: string) => (line.split(" ")[2] ?? "") >= "2030-06-07T12:00";
    expect(stored.filter(isMinute)).toEqual(recounted.filter((line) => isMinute(line) && kept(line)));
    expect(stored.filter(isMinute).length).toBeGreaterThan(0);
  });

  it("keep the histogram of a busy minute short, however often it is added to", async () => {
    await world.clock.set(NOW);
    const { project, place, rollUp } = await aPlace();
    const began = Date.parse("2030-06-15T11:30:00Z");
    for (let pass = 0; pass < 4; pass++) {
      const lives = Array.from({ length: 100 }, (_, nth) => {
        const ended_at = iso(began + 20 + pass + nth ** 2);
        return { ...place, created_at: iso(began), started_at: iso(began + 9), ended_at };
      });
      await rollUp(lives);
    }
    expect(await storedRollups(world.connection, project.id)).toEqual(
      await recountedRollups(world.connection, project.id),
    );
    const [longest] = await runSql<{ bytes: number; once: number }>(
      world.connection,
      `select max(length(sketch))::int as bytes, max(sketch_packed)::int as once from rollups where project_id = $1`,
      [project.id],
    );
    expect(longest?.once).toBeGreaterThan(200);
    expect(longest?.bytes).toBeLessThanOrEqual(2 * (longest?.once ?? 0) + 192);
  });
});
