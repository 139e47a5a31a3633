import { beforeAll, describe, expect, it } from "vitest";
import { seedSchedule } from "../../../test/seed/seed-schedule.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld({ config: { run_retention_secs: 3_600 } });
});

describe("the record of fired times", () => {
  it("R16 is kept as long as runs are, and deleted in pages", async () => {
    const { id: project_id } = await world.project();
    const { id } = await seedSchedule(world.connection, project_id);
    const age = (from: number, to: number) =>
      runSql(
        world.connection,
        `insert into schedule_fires (project_id, schedule_id, scheduled_for, outcome, created_at)
         select $1, $2, clock() - n * interval '1 second', 'fired', clock() - n * interval '1 second'
         from generate_series($3::int, $4::int) n`,
        [project_id, id, from, to],
      );
    await age(60, 62);
    await age(3_700, 8_700);
    expect([await world.tick("remove-old-rows"), await world.tick("remove-old-rows")]).toEqual([true, false]);
    const [left] = await runSql(world.connection, "select count(*)::int as fires from schedule_fires");
    expect(left).toEqual({ fires: 3 });
  });
});
