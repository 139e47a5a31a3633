import { beforeAll, expect, it } from "vitest";
import { seedRun } from "../../../../test/seed/seed-run.ts";
import { seedTrigger } from "../../../../test/seed/seed-trigger.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
  for (const task of TASKS) while (await world.tick(task));
  await world.clock.pass("10m");
  for (const task of TASKS) while (await world.tick(task));
});

const TASKS = ["sum-changes", "recount-events", "recount-webhooks"];

async function confirmed(): Promise<string[]> {
  await world.clock.pass("5s");
  await world.tick("confirm-rollups");
  const fresh = "select consumer from log_cursors where updated_at = clock() order by consumer";
  return (await runSql(world.connection, fresh)).map(({ consumer }) => consumer);
}

it("sums and recounts that have nothing to count are up to date; the others are not until they have counted", async () => {
  expect(await confirmed()).toEqual(["recount-events", "recount-webhooks", "sum-changes"]);
  const { id } = await world.project();
  const run_id = await seedRun(world.connection, id);
  expect(await confirmed()).toEqual(["recount-events", "recount-webhooks"]);
  await seedTrigger(world.connection, id, { job_run_id: run_id });
  expect(await confirmed()).toEqual(["recount-webhooks"]);
  await world.tick("sum-changes");
  expect(await confirmed()).toEqual(["recount-webhooks", "sum-changes"]);
});
