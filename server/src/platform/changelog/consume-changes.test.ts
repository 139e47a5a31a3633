import { type RawBuilder, sql } from "kysely";
import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/database.ts";
import { logsSettled } from "../../../test/logs-settled.ts";
import { makeWorld, type World } from "../../../test/world.ts";
import { newId } from "../ids.ts";
import { consumeLog } from "./consume-log.ts";
import { LOG_START, placeNow, readLog } from "./read-log.ts";

type Row = { run_id: string; ordinal: number };

let world: World;
let project_id: string;
beforeAll(async () => {
  world = await makeWorld();
  project_id = (await world.project()).id;
});

const INSERT = `
  insert into run_transitions (project_id, run_id, ordinal, to_status, cause, attempt, created_at)
  select $1, $2, n, 'pending', 'test', 0, (select clock()) from generate_series(1, $3::int) n`;

async function write(rows = 1): Promise<string> {
  const run_id = newId();
  await runSql(world.connection, INSERT, [project_id, run_id, rows]);
  return run_id;
}

/** A transaction that has written and stays open. */
async function openTransaction() {
  const client = new pg.Client(world.connection);
  await client.connect();
  await client.query("begin");
  const run_id = newId();
  await client.query(INSERT, [project_id, run_id, 1]);
  return { run_id, commit: () => client.query("commit").then(() => client.end()) };
}

/** A separate consumer for a test, up to date with its log, and the rows it has read since. */
async function consumer(only?: RawBuilder<unknown>) {
  const taken: string[] = [];
  const name = `test-${newId()}`;
  await seenAll(name);
  const pass = (fails = false) =>
    consumeLog<Row>(world.ctx, {
      name,
      log: "run_transitions",
      ...(only && { only }),
      take: async (_tx, rows) => {
        if (fails) throw new Error("no");
        taken.push(...rows.map(({ run_id }) => run_id));
      },
    });
  return { name, taken, pass };
}

async function seenAll(name: string): Promise<void> {
  const { after_xid, floor_at } = await placeNow(world.ctx);
  await runSql(
    world.connection,
    "insert into log_cursors (consumer, after_xid, floor_at, updated_at) values ($1, $2::xid8, $3, clock())",
    [name, after_xid, floor_at],
  );
}

describe("a consumer of a log", () => {
  it("reads new rows once, in the order of transactions", async () => {
    const { taken, pass } = await consumer();
    const written = [await write(), await write(), await write()];
    await logsSettled(world.connection);
    await pass();
    await pass();
    expect(taken).toEqual(written);
  });

  it("skips nothing that commits late: it stops below the oldest transaction still writing", async () => {
    const { taken, pass } = await consumer();
    const late = await openTransaction();
    const after = await write();
    await pass();
    expect(taken).toEqual([]);
    await late.commit();
    await logsSettled(world.connection);
    await pass();
    expect(taken).toEqual([late.run_id, after]);
  });

  it("is not delayed by a read-only transaction", async () => {
    const reader = new pg.Client(world.connection);
    await reader.connect();
    await reader.query("begin isolation level repeatable read");
    await reader.query("select count(*) from run_transitions");
    const { taken, pass } = await consumer();
    const written = await write();
    await logsSettled(world.connection);
    await pass();
    expect(taken).toEqual([written]);
    await reader.end();
  });

  it("moves its cursor only together with the work on the rows", async () => {
    const { taken, pass } = await consumer();
    const written = await write();
    await logsSettled(world.connection);
    await expect(pass(true)).rejects.toThrow("no");
    await pass();
    expect(taken).toEqual([written]);
  });

  it("gives each row to one of many concurrent consumers", async () => {
    const { taken, pass } = await consumer();
    const written = await Promise.all(Array.from({ length: 20 }, () => write()));
    await logsSettled(world.connection);
    await Promise.all(Array.from({ length: 6 }, () => pass()));
    await pass();
    expect(taken.toSorted()).toEqual(written.toSorted());
  });

  it("returns only the wanted rows, and moves past the others", async () => {
    const wanted = newId();
    const { name, taken, pass } = await consumer(sql`l.run_id = ${wanted}`);
    await write();
    await runSql(world.connection, INSERT, [project_id, wanted, 2]);
    await write();
    await logsSettled(world.connection);
    await pass();
    await pass();
    expect(taken).toEqual([wanted, wanted]);
    const [place] = await runSql(world.connection, "select after_xid::text from log_cursors where consumer = $1", [
      name,
    ]);
    expect(BigInt(place?.after_xid as string)).toBeGreaterThan(0n);
  });

  it("begins with the first row", async () => {
    const written = await write();
    await logsSettled(world.connection);
    const taken: string[] = [];
    const name = `test-${newId()}`;
    const take = async (_: unknown, rows: Row[]) => void taken.push(...rows.map(({ run_id }) => run_id));
    while (await consumeLog<Row>(world.ctx, { name, log: "run_transitions", take }));
    expect(taken).toContain(written);
  });
});

describe("a consumer with `yieldsToRuns`", () => {
  /** More than two passes of old rows, and then this many current ones. */
  async function passBeside(young: number): Promise<boolean> {
    await runSql(world.connection, AT, [project_id, newId(), 4_500, "-1 hour"]);
    // Ahead of the clock: they stay recent however long the pass takes.
    await runSql(world.connection, AT, [project_id, newId(), young, "1 minute"]);
    await logsSettled(world.connection);
    const name = `test-${newId()}`;
    return consumeLog(world.ctx, {
      ...{ name, log: "run_transitions", yieldsToRuns: true },
      take: async () => {},
    });
  }
  const AT = `
    insert into run_transitions (project_id, run_id, ordinal, to_status, cause, attempt, created_at)
    select $1, $2, n, 'pending', 'test', 0, clock() + $4::interval from generate_series(1, $3::int) n`;

  it("continues while few runs change", async () => {
    expect(await passBeside(3)).toBe(true);
  });

  it("yields after one pass while many runs change", async () => {
    expect(await passBeside(300)).toBe(false);
  });
});

describe("a batch of a log", () => {
  it("contains whole transactions, and reports whether there is more", async () => {
    await logsSettled(world.connection);
    const before = await placeNow(world.ctx);
    const [large, small] = [await write(5), await write()];
    await logsSettled(world.connection);
    const first = await readLog<Row>(world.ctx, "run_transitions", before, { most: 2 });
    expect(first.rows.map(({ run_id }) => run_id)).toEqual(Array.from({ length: 5 }, () => large));
    expect(first.has_more).toBe(true);
    const second = await readLog<Row>(world.ctx, "run_transitions", first.place, { most: 2 });
    expect(second.rows.map(({ run_id }) => run_id)).toEqual([small]);
    expect(second.has_more).toBe(false);
  });

  it("scans a bounded number of rows for the few that are wanted, and continues after them", async () => {
    await logsSettled(world.connection);
    const before = await placeNow(world.ctx);
    for (let n = 0; n < 5; n++) await write(9_000);
    const wanted = await write();
    await logsSettled(world.connection);
    const only = sql`l.run_id = ${wanted}`;
    const first = await readLog<Row>(world.ctx, "run_transitions", before, { most: 10, only });
    expect([first.rows, first.has_more]).toEqual([[], true]);
    const second = await readLog<Row>(world.ctx, "run_transitions", first.place, { most: 10, only });
    const third = await readLog<Row>(world.ctx, "run_transitions", second.place, { most: 10, only });
    expect([...second.rows, ...third.rows].map(({ run_id }) => run_id)).toEqual([wanted]);
    expect(third.has_more).toBe(false);
  });

  it("starts before all rows that commit later", async () => {
    const { rows } = await readLog<Row>(world.ctx, "run_transitions", LOG_START, { most: 1 });
    expect(rows.length).toBeGreaterThan(0);
  });
});
