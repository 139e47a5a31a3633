import { beforeAll, describe, expect, it } from "vitest";
import { seedCapsule } from "../../../../test/seed/seed-capsule.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { firstIdAt } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld({ config: { workflow_run_retention_secs: 3_600 } });
  project = await world.project();
});

/** Imports it this many seconds in the past. */
async function capsuleOf(secsAgo: number): Promise<string> {
  const id = await seedCapsule(world.connection, project.id);
  const old = firstIdAt(Date.now() - secsAgo * 1_000).slice(0, 24) + id.slice(24);
  await runSql(
    world.connection,
    "update run_capsules set id = $2, created_at = clock() - $3 * interval '1 second' where id = $1",
    [id, old, secsAgo],
  );
  return old;
}

const idsLeft = async () => {
  const rows = await runSql<{ id: string }>(world.connection, "select id from run_capsules order by id");
  return rows.map(({ id }) => id);
};

describe("retention of imported workflow runs", () => {
  it("deletes imported workflow runs older than WORKFLOW_RUN_RETENTION, a page at a time, and no others", async () => {
    const young = [await capsuleOf(3_500), await capsuleOf(0)];
    for (let n = 0; n < 51; n++) await capsuleOf(3_700 + n);
    expect(await world.tick("remove-old-rows")).toBe(true);
    expect(await idsLeft()).toHaveLength(3);
    expect(await world.tick("remove-old-rows")).toBe(false);
    expect(await idsLeft()).toEqual(young.toSorted());
  });
});
