import { beforeAll, describe, expect, it } from "vitest";
import { rollUpCosts } from "../../../../test/seed/roll-up-costs.ts";
import { seedDispatched } from "../../../../test/seed/seed-dispatched.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
});

describe("removing old sums", () => {
  it("removes minutes after a week and hours after some months, and keeps days", async () => {
    const project = await world.project();
    const job = await seedJob(world.connection, project.id);
    const at = ["2030-06-14T10:00:00Z", "2030-06-01T10:00:00Z", "2029-12-01T10:00:00Z"];
    await seedDispatched(
      world.connection,
      project.id,
      at.map((each) => ({ job, at: each })),
    );
    await rollUpCosts(world);
    while (await world.tick("remove-old-rows"));
    const rows = await runSql(
      world.connection,
      `select grain, count(*)::int as rows from cost_rollups where project_id = $1 and kind = 'job' group by 1 order by 1`,
      [project.id],
    );
    expect(rows).toEqual([
      { grain: "1d", rows: 3 },
      { grain: "1h", rows: 2 },
      { grain: "1m", rows: 1 },
    ]);
  });
});
