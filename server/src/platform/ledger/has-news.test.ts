import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/database.ts";
import { logsSettled } from "../../../test/logs-settled.ts";
import { makeWorld, type World } from "../../../test/world.ts";
import { newId } from "../ids.ts";
import { followStretches } from "./follow-stretches.ts";
import { nextStretch } from "./next-stretch.ts";
import { placeNow } from "./read-log.ts";

let world: World;
let project_id: string;
beforeAll(async () => {
  world = await makeWorld();
  project_id = (await world.project()).id;
});

async function write(rows = 1): Promise<void> {
  await runSql(
    world.connection,
    `insert into run_transitions (project_id, run_id, ordinal, to_status, cause, attempt, created_at)
     select $1, $2, n, 'pending', 'test', 0, clock() from generate_series(1, $3::int) n`,
    [project_id, newId(), rows],
  );
}

/** A follower of its own, how often it took something, and the row of its place: another version with each write. */
function follower() {
  const name = `test-${newId()}`;
  const counted = { taken: 0 };
  const turn = () =>
    followStretches(world.ctx, {
      ...{ name, log: "run_transitions", most: 100_000 },
      take: async () => void counted.taken++,
    });
  const place = async () =>
    (await runSql(world.connection, "select xmin::text, updated_at from log_cursors where follower = $1", [name]))[0];
  return { counted, turn, place };
}

describe("a follower whose log rests", () => {
  it("looks, and writes nothing", async () => {
    const { turn, place } = follower();
    await write();
    await logsSettled(world.connection);
    await turn();
    const before = await place();
    await turn();
    expect(await place()).toEqual(before);
  });

  it("takes its turn at the next row", async () => {
    const { counted, turn } = follower();
    await write();
    await logsSettled(world.connection);
    await turn();
    await turn();
    await write();
    await logsSettled(world.connection);
    await turn();
    expect(counted.taken).toBe(2);
  });

  it("says every few seconds that it is up to date", async () => {
    const { turn, place } = follower();
    await turn();
    const before = await place();
    await world.clock.pass("6s");
    await turn();
    expect((await place())?.updated_at).not.toEqual(before?.updated_at);
  });
});

describe("a stretch of a log", () => {
  it("ends with a whole transaction, and tells that there is more", async () => {
    await logsSettled(world.connection);
    const before = await placeNow(world.ctx);
    await write(5);
    await write();
    await logsSettled(world.connection);
    const rowsIn = async (after: string, to: string) => {
      const within = "select 1 from run_transitions where xid > $1::xid8 and xid <= $2::xid8";
      return (await runSql(world.connection, within, [after, to])).length;
    };
    const first = await nextStretch(world.ctx, "run_transitions", before, 2);
    expect(first.has_more).toBe(true);
    expect(await rowsIn(before.after_xid, first.place.after_xid)).toBe(5);
    const second = await nextStretch(world.ctx, "run_transitions", first.place, 2);
    expect(second.has_more).toBe(false);
    expect(await rowsIn(first.place.after_xid, second.place.after_xid)).toBe(1);
    expect((await nextStretch(world.ctx, "run_transitions", second.place, 2)).stretch).toBe(undefined);
  });
});
