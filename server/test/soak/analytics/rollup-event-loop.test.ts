import { beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { type SeedLife, seedLives } from "../../seed/seed-lives.ts";
import { runSql } from "../../world/database.ts";
import { makeWorld, type TestProject, type World } from "../../world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
});

/** How long a pass may block the event loop, in its own CPU time: what other processes take does not count. */
const MAX_BLOCK_MS = 100;
const TRIES = 8;

/**
 * The longest block of the event loop during a full rollup. A busy machine adds to it, so the smallest of a few counts.
 */
async function longestHold(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < TRIES && least >= MAX_BLOCK_MS; nth++) {
    await runSql(world.connection, "delete from rollups");
    await runSql(world.connection, "delete from error_groups");
    await runSql(world.connection, "delete from log_cursors where consumer = 'sum-changes'");
    least = Math.min(least, await holdOf(() => world.tick("sum-changes")));
  }
  return least;
}

async function holdOf(work: () => Promise<unknown>): Promise<number> {
  let [longest, isDone, before] = [0, false, process.cpuUsage()];
  const look = () => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.cpuUsage();
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isDone = true;
  look();
  return longest;
}

/** As many runs as a pass takes, each of a different job: nothing can be shared. */
async function seedRuns(project: TestProject, lifeOf: (nth: number) => Partial<SeedLife>): Promise<void> {
  const environment_id = (await project.api.get("/v1/environments/production")).body.id as string;
  const lives = Array.from(
    { length: 3_000 },
    (_, nth): SeedLife => ({
      ...{ job_id: newId(), job_version_id: newId(), environment_id, created_at: "2030-06-15T11:00:00Z" },
      ...{ started_at: "2030-06-15T11:00:01Z", ended_at: `2030-06-15T11:${String(nth % 60).padStart(2, "0")}:02Z` },
      ...lifeOf(nth),
    }),
  );
  await seedLives(world.connection, project.id, lives);
}

describe("a pass of the rollup of runs", () => {
  it("blocks the event loop for less than a tenth of a second, with a full batch of distinct runs", async () => {
    const project = await world.project();
    await seedRuns(project, () => ({}));
    expect(await longestHold()).toBeLessThan(MAX_BLOCK_MS);
    const { body } = await project.api.get("/v1/analytics/timeseries");
    expect(body.total).toMatchObject({ created: 3_000, completed: 3_000 });
    await runSql(world.connection, "delete from run_transitions");
  }, 240_000);

  it("and with as many failures, each with a different long message", async () => {
    const project = await world.project();
    const long = (nth: number) => `${"could not reserve part 17 of 'order', ".repeat(50)} ${newId()} ${nth}`;
    await seedRuns(project, (nth) => ({
      ...{ status: "failed", error: { code: "http_500", message: long(nth) }, http_status: 500 },
    }));
    expect(await longestHold()).toBeLessThan(MAX_BLOCK_MS);
    const { body } = await project.api.get("/v1/analytics/errors?limit=1");
    expect(body.total).toEqual({ runs: 3_000, attempts: 3_000 });
  }, 240_000);
});
