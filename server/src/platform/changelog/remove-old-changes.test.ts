import { beforeEach, describe, expect, it } from "vitest";
import { seedDrain } from "../../../test/seed/seed-drain.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { newId } from "../ids.ts";
import { positionNow } from "./sequence-changes.ts";

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});

/** Three changes; returns the position of the first. */
async function write(): Promise<number> {
  await runSql(
    world.connection,
    `insert into changelog_inbox (project_id, kind, ids, created_at)
     select $1::uuid, 'batch_operation', array[$1::uuid], clock() from generate_series(1, 3)`,
    [newId()],
  );
  return (await positionNow(world.ctx)) - 2;
}

async function consumeTo(position: number): Promise<void> {
  await runSql(
    world.connection,
    `insert into log_cursors (consumer, position, updated_at) values ('test', $1, clock())
     on conflict (consumer) do update set position = excluded.position`,
    [position],
  );
}

async function left(): Promise<number[]> {
  await world.tick("remove-old-rows");
  const rows = await runSql<{ position: number }>(world.connection, "select position::int from changelog order by 1");
  return rows.map(({ position }) => position);
}

describe("the removal of old changes", () => {
  it("keeps what streams may resume from, and what a consumer has not read", async () => {
    const first = await write();
    await consumeTo(first);
    expect(await left()).toEqual([first, first + 1, first + 2]);
    await world.clock.pass("3h");
    expect(await left()).toEqual([first + 1, first + 2]);
    await consumeTo(first + 2);
    expect(await left()).toEqual([]);
  });

  it("keeps what a drain may still send, for as long as its lines are kept", async () => {
    const first = await write();
    await consumeTo(first + 2);
    const project = await world.project();
    await seedDrain(world.connection, project.id);
    await runSql(world.connection, "update log_drains set enabled = true, position = $1", [first + 1]);
    await world.clock.pass("3h");
    expect(await left()).toEqual([first + 1, first + 2]);
    await world.clock.pass("744h");
    expect(await left()).toEqual([]);
  });
});
