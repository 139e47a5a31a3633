import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/database.ts";
import { logsSettled } from "../../../test/logs-settled.ts";
import { makeWorld, type World } from "../../../test/world.ts";
import { newId } from "../ids.ts";
import { consumeBatches } from "./consume-batches.ts";
import { hasNewRows } from "./has-new-rows.ts";
import { nextBatch } from "./next-batch.ts";
import { placeNow } from "./read-log.ts";

let world: World;
let project_id: string;
beforeAll(async () => {
  world = await makeWorld();
  project_id = (await world.project()).id;
  await world.clock.pass("1s"); // a stopped clock: cursors age by themselves
});

async function write(rows = 1): Promise<void> {
  await runSql(
    world.connection,
    `insert into run_transitions (project_id, run_id, ordinal, to_status, cause, attempt, created_at)
     select $1, $2, n, 'pending', 'test', 0, clock() from generate_series(1, $3::int) n`,
    [project_id, newId(), rows],
  );
}

/** A separate consumer that has reached the end of its log. */
async function consumer() {
  const name = `test-${newId()}`;
  const pass = async () => {
    await logsSettled(world.connection);
    await consumeBatches(world.ctx, {
      ...{ name, log: "run_transitions", most: 100_000 },
      take: async () => {},
    });
  };
  await pass();
  return { pass, hasNewRows: () => hasNewRows(world.ctx, name, "run_transitions") };
}

describe("a consumer", () => {
  it("has new rows until its cursor exists", async () => {
    expect(await hasNewRows(world.ctx, `test-${newId()}`, "run_transitions")).toBe(true);
  });

  it("has none while its log is idle", async () => {
    await write();
    expect(await (await consumer()).hasNewRows()).toBe(false);
  });

  it("has some after the next row, until its next pass", async () => {
    const { pass, hasNewRows } = await consumer();
    await write();
    expect(await hasNewRows()).toBe(true);
    await pass();
    expect(await hasNewRows()).toBe(false);
  });

  it("must confirm every few seconds that it is up to date", async () => {
    const { pass, hasNewRows } = await consumer();
    await world.clock.pass("6s");
    expect(await hasNewRows()).toBe(true);
    await pass();
    expect(await hasNewRows()).toBe(false);
  });
});

describe("a range of a log", () => {
  it("ends with a whole transaction, and reports whether there is more", async () => {
    await logsSettled(world.connection);
    const before = await placeNow(world.ctx);
    await write(5);
    await write();
    await logsSettled(world.connection);
    const rowsIn = async (after: string, to: string) => {
      const within = "select 1 from run_transitions where xid > $1::xid8 and xid <= $2::xid8";
      return (await runSql(world.connection, within, [after, to])).length;
    };
    const first = await nextBatch(world.ctx, "run_transitions", before, 2);
    expect(first.has_more).toBe(true);
    expect(await rowsIn(before.after_xid, first.place.after_xid)).toBe(5);
    const second = await nextBatch(world.ctx, "run_transitions", first.place, 2);
    expect(second.has_more).toBe(false);
    expect(await rowsIn(first.place.after_xid, second.place.after_xid)).toBe(1);
    expect((await nextBatch(world.ctx, "run_transitions", second.place, 2)).batch).toBe(undefined);
  });
});
